import { sql } from "drizzle-orm";
import { Conflict, Invalid } from "../../core/errors";
import { isReservedEvent, reservedEvent } from "../../core/events/names";
import { firstIdAt, newId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { Stale, untilFresh } from "../../db/fresh";
import { guard, type Statement } from "../../db/statement";
import { announceJob, insertJob } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { type Doomed, deleteOldest, rowsPerStatement } from "./delete-statements";
import { eventUsage } from "./usage";

/** What a call deletes by itself; beyond it a job does. */
const maxAtOnce = 10_000;

/** `DELETE /events/{eventName}`. Throws Invalid, NotFound and Conflict, all without an effect. */
export async function deleteEvents(ctx: Context, name: string): Promise<{ deletedCount: number } | { jobId: string }> {
  if (isReservedEvent(name)) {
    throw new Invalid([{ field: "eventName", code: "reserved_event", message: reservedEvent(name), received: name }]);
  }
  const doomed = { name, before: firstIdAt(ctx.now.getTime() + 1) };
  return untilFresh(async () => {
    const total = await insistOnUnused(ctx, name);
    return total > maxAtOnce ? queueDeletion(ctx, doomed, total) : deleteNow(ctx, doomed);
  }, ctx.random);
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
  let removed = await removeOldest(ctx, doomed, [guardUnused(ctx, doomed)]);
  let deletedCount = removed;
  while (removed === rowsPerStatement) {
    removed = await removeOldest(ctx, doomed, []);
    deletedCount += removed;
  }
  return { deletedCount };
}

/** Returns how many it removed. */
async function removeOldest(ctx: Context, doomed: Doomed, guards: Statement[]): Promise<number> {
  const batch = openBatch(ctx);
  batch.addAll(guards);
  const deleted = batch.add(deleteOldest(ctx, doomed));
  await batch.commit();
  return deleted.count;
}

async function queueDeletion(ctx: Context, doomed: Doomed, total: number): Promise<{ jobId: string }> {
  const id = newId();
  const type = "events.delete";
  const batch = openBatch(ctx);
  batch.add(guardUnused(ctx, doomed));
  batch.add(insertJob(ctx, { id, type, input: { ...doomed, total }, state: { deletedCount: 0 } }));
  await batch.commit();
  await announceJob(ctx, type, id);
  return { jobId: id };
}

/** When somebody has just begun to use it, the next look says who. */
function guardUnused(ctx: Context, { name }: Doomed): Statement {
  return guard(
    sql`NOT EXISTS (SELECT 1 FROM audience_references
      WHERE project_id = ${ctx.project.id} AND kind = 'event' AND name = ${name})`,
    () => new Stale(),
  );
}
