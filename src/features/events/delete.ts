import { sql } from "drizzle-orm";
import { Conflict, Invalid } from "../../core/errors";
import { isReservedEvent, reservedEvent } from "../../core/events/names";
import { aboveAllIds, asId, belowAllIds, type Id, newId, publicId, textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { Stale, untilFresh } from "../../db/fresh";
import { isInserted } from "../../db/own-rows";
import { columns, asId as readStoredId } from "../../db/rows";
import { guard, type Statement, selectFirst } from "../../db/statement";
import { announceJob, insertJob } from "../../engine/jobs/queue-job";
import type { Context } from "../../platform/context";
import { type Doomed, deleteNext, rowsPerStatement } from "./delete-statements";
import { eventUsage } from "./usage";

/** What a call deletes by itself; beyond it a job does. */
const maxAtOnce = 10_000;

/** `DELETE /events/{eventName}`. Throws Invalid, NotFound and Conflict, all without an effect. */
export async function deleteEvents(ctx: Context, name: string): Promise<{ deletedCount: number } | { jobId: string }> {
  if (isReservedEvent(name)) {
    throw new Invalid([{ field: "eventName", code: "reserved_event", message: reservedEvent(name), received: name }]);
  }
  const doomed: Doomed = { name, before: await behindNewest(ctx), from: null };
  return untilFresh(async () => {
    const total = await insistOnUnused(ctx, name);
    return total > maxAtOnce ? queueDeletion(ctx, doomed, total) : deleteNow(ctx, doomed);
  }, ctx.random);
}

/** A bound behind all events of the project. Asked of the database, as the time of an event is that of its clock. */
async function behindNewest(ctx: Context): Promise<Id> {
  const newest = await selectFirst(
    ctx.db,
    sql`SELECT id FROM events WHERE project_id = ${ctx.project.number} ORDER BY id DESC LIMIT 1`,
    columns({ id: readStoredId }),
  );
  return newest === null ? belowAllIds : asId(`${textOf(newest.id)}${textOf(aboveAllIds)}`);
}

/** Returns how many events there are. */
async function insistOnUnused(ctx: Context, name: string): Promise<number> {
  const { totalCount, canDelete, ...uses } = await eventUsage(ctx, name);
  if (canDelete) return totalCount;
  throw eventInUse(name, uses);
}

type Uses = Pick<Awaited<ReturnType<typeof eventUsage>>, "usedInSegments" | "usedInCampaigns" | "usedInWorkflows">;

export function eventInUse(name: string, { usedInSegments, usedInCampaigns, usedInWorkflows }: Uses): Conflict {
  return new Conflict(`The event ${name} is in use. Nothing was deleted.`, {
    suggestion: "Remove it from everything that details lists, then delete it again.",
    details: { usedInSegments, usedInCampaigns, usedInWorkflows },
  });
}

/** A name that is in use is refused with the first rows; from there on the call goes to its end. */
async function deleteNow(ctx: Context, doomed: Doomed): Promise<{ deletedCount: number }> {
  let { removed, from } = await removeNext(ctx, doomed, [guardUnused(ctx, doomed)]);
  let deletedCount = removed;
  while (removed === rowsPerStatement) {
    ({ removed, from } = await removeNext(ctx, { ...doomed, from }, []));
    deletedCount += removed;
  }
  return { deletedCount };
}

/** Returns how many it removed, and the contact at which it has arrived. */
async function removeNext(
  ctx: Context,
  doomed: Doomed,
  guards: Statement[],
): Promise<{ removed: number; from: Id | null }> {
  const batch = openBatch(ctx);
  batch.addAll(guards);
  const deleted = batch.add(deleteNext(ctx, doomed));
  await batch.commit();
  const contactIds = deleted.all.flatMap(({ contactId }) => (contactId === null ? [] : textOf(contactId)));
  const last = contactIds.sort().at(-1);
  return { removed: deleted.count, from: last === undefined ? doomed.from : asId(last) };
}

async function queueDeletion(ctx: Context, doomed: Doomed, total: number): Promise<{ jobId: string }> {
  const id = newId();
  const type = "events.delete";
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, id));
  batch.add(guardUnused(ctx, doomed));
  const input = { name: doomed.name, before: doomed.before, total };
  batch.add(insertJob(ctx, { id, type, input, state: { deletedCount: 0, from: doomed.from } }));
  await batch.commit();
  await announceJob(ctx, type, id);
  return { jobId: publicId(id) };
}

/** When somebody has just begun to use it, the next look says who. */
function guardUnused(ctx: Context, { name }: Doomed): Statement {
  return guard(
    sql`NOT EXISTS (SELECT 1 FROM audience_references
      WHERE project_id = ${ctx.project.number} AND kind = 'event' AND name = ${name})`,
    () => new Stale(),
  );
}
