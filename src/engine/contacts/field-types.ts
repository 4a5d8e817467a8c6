import { type SQL, sql } from "drizzle-orm";
import type { DataChange } from "../../core/contacts/data";
import { Invalid } from "../../core/errors";
import { inProject } from "../../db/scope";
import { guard, type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";

/**
 * The maximum number of field names that each kind of key may create in a project. Browsers thus cannot use up the
 * names that servers need.
 */
export const maxFields = { secret: 10_000, public: 1_000 } as const;

/**
 * Registers the keys of data, in the batch that writes the data. A key keeps its first type in the project. New keys
 * beyond the project's limit fail the whole batch with Invalid.
 */
export function insertFieldTypes(ctx: Context, types: DataChange["types"], onlyIf: SQL): Statement[] {
  if (Object.keys(types).length === 0) return [];
  const keys = JSON.stringify(types);
  return [
    guard(isWithinLimit(ctx, keys, onlyIf), () => new Invalid([tooManyFields(maxFields[ctx.keyKind])])),
    statement(
      sql`INSERT INTO contact_fields (project_id, key, type, is_public, created_at)
        SELECT ${ctx.project.number}, key, value, ${ctx.keyKind === "public"}, ${ctx.now.getTime()}
        FROM json_each(${keys})
        WHERE ${onlyIf}
        ON CONFLICT DO NOTHING`,
    ),
  ];
}

/** Counts the project's fields only when the call adds a field. */
function isWithinLimit(ctx: Context, keys: string, onlyIf: SQL): SQL {
  const fields = sql`SELECT count(*) FROM contact_fields
    WHERE ${inProject(ctx)} AND is_public = ${ctx.keyKind === "public"}`;
  const newKeys = sql`SELECT count(*) AS new_keys FROM json_each(${keys}) k WHERE NOT EXISTS (
    SELECT 1 FROM contact_fields f WHERE ${inProject(ctx, "f")} AND f.key = k.key)`;
  return sql`(SELECT CASE WHEN new_keys = 0 THEN true WHEN NOT (${onlyIf}) THEN true
    ELSE new_keys + (${fields}) <= ${maxFields[ctx.keyKind]} END FROM (${newKeys}))`;
}

function tooManyFields(limit: number): Invalid["faults"][number] {
  const message = `A project accepts at most ${limit} different keys of data from this kind of API key. Delete unused fields with DELETE /contacts/fields/{field}, or put what varies into a value`;
  return { field: "data", code: "too_big", message };
}
