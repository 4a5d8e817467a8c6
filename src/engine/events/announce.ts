import { chunksOf } from "../../core/chunks";
import { commit } from "../../db/commit";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import type { Nudge } from "../../platform/queues";
import { announcedColumn } from "./record";

/** Events that one message names: a hundred such messages go into one call of the queue, which takes 256 KB. */
const eventsPerMessage = 50;

/**
 * Commits a batch that may hold event rows, and announces those that somebody listens for. The rows are the truth: when
 * the message cannot be sent, the sweep finds them.
 */
export async function commitAndAnnounce(
  ctx: Context,
  statements: D1PreparedStatement[],
): Promise<Record<string, unknown>[][]> {
  const results = await commit(ctx.db, statements);
  const heard = results.flatMap((rows) =>
    rows.flatMap(({ [announcedColumn]: id }) => (typeof id === "string" ? [id] : [])),
  );
  if (heard.length > 0) await announceEvents(ctx, heard);
  return results;
}

async function announceEvents(ctx: Context, eventIds: string[]): Promise<void> {
  try {
    await ctx.enqueue(announcements(ctx.project.id, eventIds));
  } catch (error) {
    ctx.log("error", "Events could not be announced; the sweep will", {
      projectId: ctx.project.id,
      events: eventIds.length,
      reason: reasonOf(error),
    });
  }
}

/** The messages that have these events dispatched. */
export function announcements(projectId: string, eventIds: string[]): Nudge[] {
  return chunksOf(eventIds, eventsPerMessage).map((ids) => ({
    job: { type: "events.dispatch", projectId, eventIds: ids },
  }));
}
