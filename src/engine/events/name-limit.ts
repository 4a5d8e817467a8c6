import { sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { inProject } from "../../db/scope";
import { guard, type Statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * The maximum number of event names that each kind of key may create in a project. Browsers thus cannot use up the
 * names that servers need.
 */
export const maxEventNames = { secret: 10_000, public: 1_000 } as const;

/**
 * Refuses an event with a new name beyond the project's limit: the whole batch fails with Invalid. The service's own
 * names (`email.*`, `contact.*`, `segment.*`) count toward the limit of secret keys, but are never refused.
 */
export function guardEventName(ctx: Context, name: string): Statement {
  const limit = maxEventNames[ctx.keyKind];
  const names = sql`SELECT count(*) FROM event_names
    WHERE ${inProject(ctx)} AND is_public = ${ctx.keyKind === "public"}`;
  const isKnown = sql`EXISTS (SELECT 1 FROM event_names WHERE ${inProject(ctx)} AND name = ${name})`;
  const message = `A project accepts at most ${limit} different event names from this kind of API key. Put what varies into the event's data`;
  return guard(
    sql`CASE WHEN ${isKnown} THEN true ELSE (${names}) < ${limit} END`,
    () => new Invalid([{ field: "event", code: "too_big", message }]),
  );
}
