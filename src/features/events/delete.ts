import { sql } from "drizzle-orm";
import { Conflict, Invalid } from "../../core/errors";
import { isReservedEvent, reservedEvent } from "../../core/events/names";
import { aboveAllIds, asId, belowAllIds, type Id, newId, publicId, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { Stale, untilFresh } from "../../db/fresh";
import { isInserted } from "../../db/own-rows";
import { columns, asId as readStoredId } from "../../db/rows";
import { inProject } from "../../db/scope";
import { guard, type Statement, selectFirst } from "../../db/statement";
import { announceJob, insertJob } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { type Deletion, deleteNext, rowsPerStatement } from "./delete-statements";
import { eventUsage } from "./usage";

/** The maximum number of events that a call deletes itself; a job deletes more. */
const maxAtOnce = 10_000;

/**
 * `DELETE /events/{eventName}`: deletes all events with a name, or starts a job that does. Throws Invalid, NotFound and
 * Conflict, all before any change.
 */
export async function deleteEvents(ctx: Context, name: string): Promise<{ deletedCount: number } | { jobId: string }> {
  if (isReservedEvent(name)) {
    throw new Invalid([{ field: "eventName", code: "reserved_event", message: reservedEvent(name), received: name }]);
  }
  const deletion: Deletion = { name, before: await upperBound(ctx), from: null };
  return untilFresh(async () => {
    const total = await requireUnused(ctx, name);
    return total > maxAtOnce ? queueDeletion(ctx, deletion, total) : deleteNow(ctx, deletion);
  }, ctx.random);
}

/**
 * Returns an id above all events of the project. It is read from the database, whose clock determines the times of
 * events.
 */
async function upperBound(ctx: Context): Promise<Id> {
  const newest = await selectFirst(
    ctx.db,
    sql`SELECT id FROM events WHERE ${inProject(ctx)} ORDER BY id DESC LIMIT 1`,
    columns({ id: readStoredId }),
  );
  return newest === null ? belowAllIds : asId(`${textOf(newest.id)}${textOf(aboveAllIds)}`);
}

/** Throws Conflict when the event is in use. Returns how many events have the name. */
async function requireUnused(ctx: Context, name: string): Promise<number> {
  const { totalCount, canDelete, ...uses } = await eventUsage(ctx, name);
  if (canDelete) return totalCount;
  throw eventInUse(name, uses);
}

type EventUses = Pick<Awaited<ReturnType<typeof eventUsage>>, "usedInSegments" | "usedInCampaigns" | "usedInWorkflows">;

export function eventInUse(name: string, { usedInSegments, usedInCampaigns, usedInWorkflows }: EventUses): Conflict {
  return new Conflict(`The event ${name} is in use. Nothing was deleted.`, {
    suggestion: "Remove the event from everything listed in details, then delete it again.",
    details: { usedInSegments, usedInCampaigns, usedInWorkflows },
  });
}

/**
 * Deletes all events with the name. Only the first batch checks that the name is not in use; the later ones delete the
 * remaining events even if the name is used by then.
 */
async function deleteNow(ctx: Context, deletion: Deletion): Promise<{ deletedCount: number }> {
  let { deleted, from } = await removeNext(ctx, deletion, [guardUnused(ctx, deletion)]);
  let deletedCount = deleted;
  while (deleted === rowsPerStatement) {
    ({ deleted, from } = await removeNext(ctx, { ...deletion, from }, []));
    deletedCount += deleted;
  }
  return { deletedCount };
}

/** Deletes the next events. Returns how many it deleted, and the contact that it has reached. */
async function removeNext(
  ctx: Context,
  deletion: Deletion,
  guards: Statement[],
): Promise<{ deleted: number; from: Id | null }> {
  const batch = openBatch(ctx);
  batch.addAll(guards);
  const deleted = batch.add(deleteNext(ctx, deletion));
  await batch.commit();
  const contactIds = deleted.all.flatMap(({ contactId }) => (contactId === null ? [] : textOf(contactId)));
  const last = contactIds.sort().at(-1);
  return { deleted: deleted.count, from: last === undefined ? deletion.from : asId(last) };
}

async function queueDeletion(ctx: Context, deletion: Deletion, total: number): Promise<{ jobId: string }> {
  const id = newId();
  const type = "events.delete";
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  batch.add(guardUnused(ctx, deletion));
  const input = { name: deletion.name, before: deletion.before, total };
  batch.add(insertJob(ctx, { id, type, input, state: { deletedCount: 0, from: deletion.from } }));
  await batch.commit();
  await announceJob(ctx, type, id);
  return { jobId: publicId(id) };
}

/** Returns a guard that throws Stale if a use of the event was just added. The next try then reports this use. */
function guardUnused(ctx: Context, { name }: Deletion): Statement {
  return guard(
    sql`NOT EXISTS (SELECT 1 FROM audience_references
      WHERE ${inProject(ctx)} AND kind = 'event' AND name = ${name})`,
    () => new Stale(),
  );
}
