import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { type Id, newIdAt } from "../../core/ids";
import { insertAuditEntry } from "../../db/audit-entry";
import type { Batch } from "../../db/batch";
import { type Statement, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import type { Target } from "./target";

// An entry contains the differences that its batch made, so it is written twice. The first statement of the batch
// stores the values before the change, and the last statement replaces them with the differences. A change without a
// difference leaves no entry. A batch that runs again finds its entry and does not alter it.

/**
 * Adds the entry of a change to the batch that makes it. Must be called before the statements of the change are added.
 * Adds nothing for the product's own work, or for calls that the log leaves out.
 */
export function recordChange(batch: Batch, { audit, realClock }: Platform, target: Target): void {
  if (audit === null) return;
  const id = newIdAt(realClock().getTime());
  const { project, type, id: targetId } = target;
  const name = sql`(SELECT ${target.name} FROM ${target.row})`;
  batch.add(insertAuditEntry(audit, { project, id, type, target: targetId, name, changes: valuesOf(target) }));
  batch.addLast([updateToDifferences(id, target), deleteIfUnchanged(id, target)]);
}

/**
 * Replaces the stored values with the differences. A value is null when the row did not have it, or no longer has it.
 */
function updateToDifferences(id: Id, target: Target): Statement {
  const hidden = JSON.stringify(Object.keys(target.hidden ?? {}));
  const names = JSON.stringify(Object.keys(allFields(target)));
  return statement(sql`UPDATE audit_entries
    SET target_name = coalesce((SELECT ${target.name} FROM ${target.row}), target_name),
      changes = (SELECT json_group_array(json(iif(field IN (SELECT value FROM json_each(${hidden})),
          json_object('field', field), json_object('field', field, 'from', json(old), 'to', json(new)))))
        FROM (SELECT f.value AS field, coalesce(audit_entries.changes -> f.value, 'null') AS old,
            coalesce(later.found -> f.value, 'null') AS new
          FROM (SELECT ${valuesOf(target)} AS found) later CROSS JOIN json_each(${names}) f)
        WHERE old <> new)
    WHERE ${isEntry(id, target)} AND json_type(changes) = 'object'`);
}

function deleteIfUnchanged(id: Id, target: Target): Statement {
  return statement(sql`DELETE FROM audit_entries WHERE ${isEntry(id, target)} AND changes = '[]'`);
}

function isEntry(id: Id, { project }: Target): SQL {
  return sql`project_id = ${project} AND id = ${id}`;
}

/**
 * The maximum number of fields in one call of `json_set`. A function of SQLite takes at most 32 arguments: here an
 * object, and the name and the value of each field.
 */
const fieldsPerCall = 15;

/** Returns the row's values as JSON text; empty when there is no row. */
function valuesOf(target: Target): SQL {
  const object = chunksOf(Object.entries(allFields(target)), fieldsPerCall).reduce((before, fields) => {
    const set = fields.map(([name, value]) => sql`'$.${sql.raw(name)}', ${value}`);
    return sql`json_set(${before}, ${sql.join(set, sql`, `)})`;
  }, sql`'{}'`);
  return sql`coalesce((SELECT ${object} FROM ${target.row}), '{}')`;
}

function allFields({ fields, hidden }: Target): Record<string, SQL> {
  return { ...fields, ...hidden };
}
