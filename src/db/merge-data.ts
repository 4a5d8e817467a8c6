import { type SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../core/json";

/**
 * `contacts.data` with a patch laid over it, key by key, inside the database: so that two calls at once never lose
 * each other's keys. A key is replaced whole and deleted by null; json_patch would merge nested objects instead.
 */
export function mergedData(patch: JsonObject): SQL {
  const sent = JSON.stringify(patch);
  return sql`(SELECT json_group_object(key, json(value)) FROM (
    SELECT stored.key AS key, ${jsonText("stored")} AS value FROM json_each(contacts.data) stored
    WHERE stored.key NOT IN (SELECT key FROM json_each(${sent}))
    UNION ALL
    SELECT sent.key, ${jsonText("sent")} FROM json_each(${sent}) sent WHERE sent.type <> 'null'))`;
}

/** Whether the patch would change anything of `contacts.data` in the row at hand. */
export function changesData(patch: JsonObject): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(patch)}) sent
    LEFT JOIN json_each(contacts.data) stored ON stored.key = sent.key
    WHERE CASE WHEN sent.type = 'null' THEN stored.key IS NOT NULL
      ELSE stored.type IS NOT sent.type OR stored.value IS NOT sent.value END)`;
}

/** A row of json_each as JSON again: it hands out booleans as 1 and 0, and strings without their quotes. */
function jsonText(row: "stored" | "sent"): SQL {
  const [type, value] = [sql.raw(`${row}.type`), sql.raw(`${row}.value`)];
  return sql`CASE ${type} WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null'
    WHEN 'object' THEN ${value} WHEN 'array' THEN ${value} ELSE json_quote(${value}) END`;
}
