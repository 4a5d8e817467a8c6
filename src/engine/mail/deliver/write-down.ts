import { sql } from "drizzle-orm";
import { chunksOfBytes } from "../../../core/chunks";
import { publicId } from "../../../core/ids";
import type { Unwritten } from "../../../core/mail/unwritten";
import type { MessageOf, QueueMessage } from "../../../core/messages";
import { secondMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { type Context, forProject, type Platform } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { findProject } from "../../projects/project";
import { recordCalled } from "./record-called";

/** The waits between the attempts to save, half a minute in total. A consumer may run for 15 minutes. */
const waitsMs = [1, 2, 4, 8, 16].map((seconds) => seconds * secondMs);

/** The maximum total size of the results in one message, in bytes. A queue takes messages of up to 128 KB. */
const bytesPerMessage = 60_000;

/**
 * Saves what only this consumer knows about its emails, if no batch of its delivery has recorded it: the provider's
 * answers, the emails for which it made no call, and that it is alive. Otherwise mail that was handed over, but for
 * which no call was made, would become UNKNOWN and never be sent.
 *
 * If the database still does not answer, the result is sent to the queue, which is another service. If the queue does
 * not answer either, the consumer retries both for half a minute. Never throws, because the caller already has an error
 * to throw.
 */
export async function writeDown(ctx: Context, unwritten: Unwritten): Promise<void> {
  if (Object.values(unwritten).every((some) => some.length === 0)) return;
  for (let tries = 0; ; tries++) {
    const isKept = (await succeeds(ctx, settle(ctx, unwritten))) || (await succeeds(ctx, leaveToQueue(ctx, unwritten)));
    if (isKept) return;
    const waitMs = waitsMs[tries];
    if (waitMs === undefined) break;
    await ctx.sleep(waitMs);
  }
  const { results, uncalled, noted } = unwritten;
  ctx.log("error", "The outcome of some mail was lost: neither the database nor the queue answers", {
    projectId: ctx.project.id,
    // The sweep cannot know these outcomes, and makes the emails UNKNOWN.
    results: results.map(({ emailId, status }) => ({ emailId: publicId(emailId), status })),
    uncalled: uncalled.map(({ emailId }) => publicId(emailId)),
    noted: noted.map((emailId) => publicId(emailId)),
  });
}

async function succeeds(ctx: Context, work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    ctx.log("error", "The outcome of some mail is not recorded yet", { reason: reasonOf(error) });
    return false;
  }
}

function leaveToQueue(ctx: Context, { results, uncalled, noted }: Unwritten): Promise<void> {
  const message = (some: Partial<Unwritten>): QueueMessage => ({
    ...{ type: "mail.settle", projectId: ctx.project.number, results: [], uncalled: [], noted: [] },
    ...some,
  });
  const ofResults = chunksOfBytes(results, bytesPerMessage, (result) => JSON.stringify(result)).map((chunk) =>
    message({ results: chunk }),
  );
  const others = uncalled.length + noted.length > 0 ? [message({ uncalled, noted })] : [];
  return ctx.enqueue([...ofResults, ...others].map((one) => ({ message: one })));
}

/** `mail.settle`: records the results that a consumer could save only in the queue. */
export async function settleLater(
  platform: Platform,
  { projectId, ...unwritten }: MessageOf<"mail.settle">,
): Promise<void> {
  const project = await findProject(platform, projectId);
  // A deleted project has no mail.
  if (project) await settle(forProject(platform, project), unwritten);
}

async function settle(ctx: Context, { noted, ...called }: Unwritten): Promise<void> {
  const batch = openBatch(ctx);
  // The statements for results match the round that they change, so a second run changes nothing. `updateNoted` may
  // subtract twice, which at worst gives an email one more attempt.
  batch.mayRepeat();
  const judge = recordCalled(ctx, batch, called, ctx.clock().getTime());
  if (noted.length > 0) batch.add(updateNoted(ctx, noted));
  await batch.commit();
  await judge();
}

/** Removes recorded attempts, because the consumer did not die. */
function updateNoted(ctx: Context, noted: Unwritten["noted"]): Statement {
  return statement(
    sql`UPDATE emails SET abandonments = abandonments - 1
      WHERE ${inProject(ctx)} AND id IN (SELECT value FROM json_each(${JSON.stringify(noted)}))
        AND status = 'QUEUED' AND abandonments > 0`,
  );
}
