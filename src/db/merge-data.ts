import { SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../core/json";

/**
 * Merges a patch into `contacts.data` key by key inside the database, so that two concurrent calls never lose each
 * other's keys. The patch replaces the whole value of a key, and null deletes the key. SQLite's json_patch would merge
 * nested objects instead.
 */
export function mergedData(patch: JsonObject | SQL): SQL {
  const sent = inSql(patch);
  return sql`(SELECT json_group_object(key, json(value)) FROM (
    SELECT stored.key AS key, ${jsonText("stored")} AS value FROM json_each(contacts.data) stored
    WHERE stored.key NOT IN (SELECT key FROM json_each(${sent}))
    UNION ALL
    SELECT sent.key, ${jsonText("sent")} FROM json_each(${sent}) sent WHERE sent.type <> 'null'))`;
}

/** Returns the condition that the patch would change `contacts.data` of the current row. */
export function changesData(patch: JsonObject | SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${inSql(patch)}) sent
    LEFT JOIN json_each(contacts.data) stored ON stored.key = sent.key
    WHERE CASE WHEN sent.type = 'null' THEN stored.key IS NOT NULL
      ELSE stored.type IS NOT sent.type OR stored.value IS NOT sent.value END)`;
}

/** Returns a patch as SQL. A patch that differs per row is already an expression. */
function inSql(patch: JsonObject | SQL): SQL {
  return patch instanceof SQL ? patch : sql`${JSON.stringify(patch)}`;
}

/** Turns a value of json_each back into JSON. json_each returns booleans as 1 and 0, and strings without quotes. */
function jsonText(row: "stored" | "sent"): SQL {
  const [type, value] = [sql.raw(`${row}.type`), sql.raw(`${row}.value`)];
  return sql`CASE ${type} WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null'
    WHEN 'object' THEN ${value} WHEN 'array' THEN ${value} ELSE json_quote(${value}) END`;
}
