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

/** Waits between two tries of a consumer, which may live for 15 minutes. */
const waitsMs = [1, 2, 4, 8, 16].map((seconds) => seconds * secondMs);

/** A message of a queue has at most 128 KB. */
const bytesPerMessage = 60_000;

/**
 * Writes down what a consumer alone knows of its emails, after a batch of its delivery has failed: the provider's answers,
 * the emails that it did not call for, and that it has not died. Without it, a mail that was handed over and never called
 * for would be UNKNOWN and never sent.
 *
 * The database may still be away. Then the queue keeps it, which is another service; if that is away too, the consumer
 * tries both again for half a minute. Never throws: the caller has an error to throw already.
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
  ctx.log("error", "What came of some mail was never written down: the database and the queue are away", {
    projectId: ctx.project.id,
    // The sweep cannot know this, and makes the emails UNKNOWN.
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
    ctx.log("error", "What came of some mail is not written down yet", { reason: reasonOf(error) });
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

/** `mail.settle`: writes down what a consumer left to the queue. */
export async function settleLater(
  platform: Platform,
  { projectId, ...unwritten }: MessageOf<"mail.settle">,
): Promise<void> {
  const project = await findProject(platform, projectId);
  // The mail of a deleted project is gone with it.
  if (project) await settle(forProject(platform, project), unwritten);
}

async function settle(ctx: Context, { noted, ...called }: Unwritten): Promise<void> {
  const batch = openBatch(ctx);
  // Each statement asks for the round that it is about, and changes it.
  batch.mayRepeat();
  const judge = recordCalled(ctx, batch, called, ctx.clock().getTime());
  if (noted.length > 0) batch.add(updateNoted(ctx, noted));
  await batch.commit();
  await judge();
}

/** The consumer lives, so nobody has died of these emails. */
function updateNoted(ctx: Context, noted: Unwritten["noted"]): Statement {
  return statement(
    sql`UPDATE emails SET abandonments = abandonments - 1
      WHERE ${inProject(ctx)} AND id IN (SELECT value FROM json_each(${JSON.stringify(noted)}))
        AND status = 'QUEUED' AND abandonments > 0`,
  );
}
