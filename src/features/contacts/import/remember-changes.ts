import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { overwrittenColumns } from "../../../db/overwritten-columns";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";

/**
 * The maximum total size, in bytes, of the overwritten data that a chunk of up to 1,000 rows keeps: on average two
 * kilobytes per contact. The data of contacts beyond this limit is not kept, so an undo of the import does not restore
 * these contacts.
 */
const maxKeptBytes = 2_000_000;

/** The values of a contact that the import creates, for columns that are never NULL. An undo deletes such a contact. */
const ofNewContact = new Map([
  ["subscribed", "false"],
  ["source", "'IMPORT'"],
]);

function oldValue(column: string): string {
  const ofNew = ofNewContact.get(column);
  return ofNew === undefined ? `contacts.${column}` : `coalesce(contacts.${column}, ${ofNew})`;
}

/**
 * Records which contacts an upsert is about to create and change, and what it overwrites. Must run right before the
 * upsert, in the same batch. `items` is a FROM clause with the rows of the file as `r`; `isDue` matches existing
 * contacts that change. A contact that an earlier chunk has changed, and somebody else since, keeps its earlier version
 * here, by which an undo recognises that it was touched.
 */
export function insertChanges(ctx: Context, jobId: Id, { items, isDue }: { items: SQL; isDue: SQL }): Statement {
  const kept = sql`sum(octet_length(contacts.data)) OVER (ORDER BY r.key) <= ${maxKeptBytes}`;
  return statement(
    sql`INSERT INTO import_changes (project_id, job_id, contact_id, version, is_new, data,
        ${sql.raw(overwrittenColumns.join(", "))})
      SELECT ${ctx.project.number}, ${jobId}, coalesce(contacts.id, r.value->>'id'), coalesce(contacts.version, 0) + 1,
        contacts.id IS NULL, iif(${kept}, contacts.data, NULL), ${sql.raw(overwrittenColumns.map(oldValue).join(", "))}
      FROM ${items}
      LEFT JOIN contacts ON ${inProject(ctx, "contacts")} AND contacts.email = r.value->>'email'
      WHERE contacts.id IS NULL OR ${isDue}
      ON CONFLICT (project_id, job_id, contact_id) DO UPDATE SET version = excluded.version
        WHERE import_changes.version = excluded.version - 1`,
  );
}
