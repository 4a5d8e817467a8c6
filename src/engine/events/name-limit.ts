import { sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { guard, type Statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/** Event names that a project takes from each kind of key. A browser's never use up those of its servers. */
export const maxEventNames = { secret: 10_000, public: 1_000 } as const;

/**
 * Refuses an event whose name is new beyond the project's limit: it fails the whole batch with Invalid. Our own names
 * (`email.*`, `contact.*`, `segment.*`) count with the servers', and are not refused.
 */
export function guardEventName(ctx: Context, name: string): Statement {
  const limit = maxEventNames[ctx.keyKind];
  const names = sql`SELECT count(*) FROM event_names
    WHERE project_id = ${ctx.project.number} AND is_public = ${ctx.keyKind === "public"}`;
  const isKnown = sql`EXISTS (SELECT 1 FROM event_names WHERE project_id = ${ctx.project.number} AND name = ${name})`;
  const message = `A project takes ${limit} different event names from this kind of API key. Put what varies into the event's data`;
  return guard(
    sql`CASE WHEN ${isKnown} THEN true ELSE (${names}) < ${limit} END`,
    () => new Invalid([{ field: "event", code: "too_big", message }]),
  );
}
