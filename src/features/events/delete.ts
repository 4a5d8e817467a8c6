import { sql } from "drizzle-orm";
import { Conflict, Invalid } from "../../core/errors";
import { isReservedEvent, reservedEvent } from "../../core/events/names";
import { firstIdAt, newId } from "../../core/ids";
import { commit, GuardFailed, guard } from "../../db/commit";
import { announceJob, recordJob } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { type Doomed, deleteOldest, rowsPerStatement } from "./delete-statements";
import { eventUsage } from "./usage";

/** What a call deletes by itself; beyond it a job does. */
const mostAtOnce = 10_000;

/** `DELETE /events/{eventName}`. Throws Invalid, NotFound and Conflict, all without an effect. */
export async function deleteEvents(ctx: Context, name: string): Promise<{ deletedCount: number } | { jobId: string }> {
  if (isReservedEvent(name)) {
    throw new Invalid([{ field: "eventName", code: "reserved_event", message: reservedEvent(name), received: name }]);
  }
  const total = await insistOnUnused(ctx, name);
  const doomed = { name, before: firstIdAt(ctx.now.getTime() + 1) };
  try {
    return total > mostAtOnce ? await queueDeletion(ctx, doomed, total) : await deleteNow(ctx, doomed);
  } catch (error) {
    // Somebody has just begun to use it: the next look says who.
    if (error instanceof GuardFailed) return deleteEvents(ctx, name);
    throw error;
  }
}

/** Returns how many events there are. */
async function insistOnUnused(ctx: Context, name: string): Promise<number> {
  const { totalCount, usedInSegments, usedInCampaigns, usedInWorkflows, canDelete } = await eventUsage(ctx, name);
  if (canDelete) return totalCount;
  throw new Conflict(`The event ${name} is in use. Nothing was deleted.`, {
    suggestion: "Take it out of what details names, and delete it then.",
    details: { usedInSegments, usedInCampaigns, usedInWorkflows },
  });
}

/** A name that is in use is refused with the first rows; from there on the call goes to its end. */
async function deleteNow(ctx: Context, doomed: Doomed): Promise<{ deletedCount: number }> {
  const [, first = []] = await commit(ctx.db, [isUnused(ctx, doomed), deleteOldest(ctx, doomed)]);
  let deletedCount = first.length;
  for (let removed = first.length; removed === rowsPerStatement; deletedCount += removed) {
    const [rows = []] = await commit(ctx.db, [deleteOldest(ctx, doomed)]);
    removed = rows.length;
  }
  return { deletedCount };
}

async function queueDeletion(ctx: Context, doomed: Doomed, total: number): Promise<{ jobId: string }> {
  const id = newId();
  const type = "events.delete";
  const job = { id, type, input: { ...doomed, total }, state: { deletedCount: 0 } } as const;
  await commit(ctx.db, [isUnused(ctx, doomed), recordJob(ctx, job)]);
  await announceJob(ctx, type, id);
  return { jobId: id };
}

function isUnused(ctx: Context, { name }: Doomed): D1PreparedStatement {
  return guard(
    ctx.db,
    "used",
    sql`NOT EXISTS (SELECT 1 FROM audience_references
      WHERE project_id = ${ctx.project.id} AND kind = 'event' AND name = ${name})`,
  );
}
