import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { isReservedEvent } from "../../core/events/names";
import { asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import { referencesTo, type Usage } from "../../engine/audience/usage";
import type { Context } from "../../platform/context";

export interface EventUsage extends Usage {
  totalCount: number;
  uniqueContacts: number;
  canDelete: boolean;
}

/**
 * `GET /events/{eventName}/usage`: returns how often an event occurred, and what refers to it. Throws NotFound for a
 * name that never occurred and that nothing refers to.
 */
export async function eventUsage(ctx: Context, name: string): Promise<EventUsage> {
  const [references, seen] = await Promise.all([
    referencesTo(ctx, "event", name),
    selectFirst(
      ctx.db,
      sql`SELECT count, contacts FROM event_names WHERE ${inProject(ctx)} AND name = ${name}`,
      columns({ count: asNumber, contacts: asNumber }),
    ),
  ]);
  const isUsed = Object.values(references).some((users) => users.length > 0);
  if (!seen && !isUsed) throw new NotFound("event", name);
  return {
    ...references,
    totalCount: seen?.count ?? 0,
    uniqueContacts: seen?.contacts ?? 0,
    canDelete: !isUsed && !isReservedEvent(name),
  };
}
