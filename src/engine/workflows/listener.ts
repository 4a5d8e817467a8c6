import { sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import type { Id } from "../../core/ids";
import { asFlag, asId, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import type { Delivery } from "../../platform/workflow-shards";
import type { AnnouncedEvent, EventListener } from "../events/listener";
import { eachShard } from "./shards";

/**
 * The maximum number of events that one call delivers. An event may take about 100 KB, and one call to an object
 * accepts 32 MB.
 */
const eventsPerCall = 50;

/**
 * Makes workflows a listener of events. Each event goes to the shard of its contact, which wakes the executions that
 * wait for it and starts the workflows that the event's row names. The shard recognises a repeated delivery by the
 * event's id.
 */
export const workflowListener: EventListener = { kind: "workflow", receive: deliverEvents };

async function deliverEvents(ctx: Context, events: AnnouncedEvent[]): Promise<void> {
  const workflows = await readReentry(ctx, [...new Set(events.flatMap(({ starts }) => starts))]);
  const deliveries = events.flatMap(({ id, name, source, isPublic, data, contactId, causes, starts }): Delivery[] => {
    if (contactId === null) return [];
    const started = starts.flatMap((workflowId) => {
      const allowReentry = workflows.get(workflowId);
      return allowReentry === undefined ? [] : [{ workflowId, allowReentry }];
    });
    return [{ event: { id, name, source, data }, contactId, isPublic, causes, starts: started }];
  });
  await eachShard(ctx, deliveries, contactOf, async ({ address, shard }, some) => {
    for (const chunk of chunksOf(some, eventsPerCall)) await shard.deliver(address, chunk);
  });
}

function contactOf({ contactId }: Delivery): Id {
  return contactId;
}

/** Returns whether each of the workflows allows re-entry, leaving out those that no longer exist. */
async function readReentry(ctx: Context, ids: Id[]): Promise<Map<Id, boolean>> {
  if (ids.length === 0) return new Map();
  const rows = await select(
    ctx.db,
    sql`SELECT w.id, w.allow_reentry FROM json_each(${JSON.stringify(ids)}) r
      CROSS JOIN workflows w ON ${inProject(ctx, "w")} AND w.id = r.value`,
    columns({ id: asId, allowReentry: asFlag }),
  );
  return new Map(rows.map(({ id, allowReentry }) => [id, allowReentry]));
}
