import { sql } from "drizzle-orm";
import { idAlphabet } from "../../src/core/ids";
import { dayMs } from "../../src/core/time";
import { dialect } from "../../src/db/client";
import { timeOfId } from "../../src/db/ids";

/** When an event was, of its stored id. */
export const timeSql = (id: string): string => dialect.sqlToQuery(timeOfId(sql.raw(id))).sql;

/** In SQL, a stored id of a time, in milliseconds: the order of ids is that of the times. */
export function idSql(time: string): string {
  const letters = [42, 36, 30, 24, 18, 12, 6, 0].map(
    (shift) => `substr('${idAlphabet}', 1 + (((${time}) >> ${shift}) & 63), 1)`,
  );
  // The version and the variant; 40 random bits as letters that an id may have; and the letter of its last two bits.
  return `(${letters.join(" || ")} || 'R-1' || hex(randomblob(5)) || '-')`;
}

/** What the kept counts of a project must be. Each statement takes the project's number. */
const recountContacts = [
  `INSERT INTO project_counts (project_id, contacts, subscribed, contacts_version)
    SELECT ?1, count(*), coalesce(sum(subscribed), 0), 1 FROM contacts WHERE project_id = ?1
    ON CONFLICT DO UPDATE SET contacts = excluded.contacts, subscribed = excluded.subscribed,
      contacts_version = contacts_version + 1`,
];
const recountEvents = [
  "UPDATE event_names SET count = 0, contacts = 0, day_count = 0 WHERE project_id = ?1",
  "DELETE FROM event_days WHERE project_id = ?1",
  `INSERT INTO event_names (project_id, name, count, contacts, last_at, day, day_count)
    SELECT ?1, name, count(*), count(DISTINCT contact_id), ${timeSql("max(id)")}, ${timeSql("max(id)")} / ${dayMs}, 0
    FROM events WHERE project_id = ?1 GROUP BY name
    ON CONFLICT DO UPDATE SET count = excluded.count, contacts = excluded.contacts, last_at = excluded.last_at,
      day = excluded.day`,
  `INSERT INTO event_days (project_id, name, day, count, last_at)
    SELECT ?1, name, at / ${dayMs}, count(*), max(at)
    FROM (SELECT name, ${timeSql("id")} AS at FROM events WHERE project_id = ?1) GROUP BY name, at / ${dayMs}`,
  // The last day of a name is in the name's own row.
  `UPDATE event_names SET day_count = d.count FROM event_days d
    WHERE event_names.project_id = ?1 AND d.project_id = ?1 AND d.name = event_names.name AND d.day = event_names.day`,
  `DELETE FROM event_days WHERE project_id = ?1 AND day = (SELECT day FROM event_names n
    WHERE n.project_id = ?1 AND n.name = event_days.name)`,
];

/** What counts again after statements of a test that write contacts or events. */
export function recountsAfter(statements: string[]): string[] {
  const doWrite = (table: string) => {
    const write = new RegExp(`\\b(INSERT (OR \\w+ )?INTO|UPDATE|DELETE FROM) ${table}\\b`);
    return statements.some((statement) => write.test(statement));
  };
  return [...(doWrite("contacts") ? recountContacts : []), ...(doWrite("events") ? recountEvents : [])];
}

/** What the kept counts of these projects say, and what is there, where the two differ. */
export async function miscounted(db: D1Database, projects: number[]): Promise<Record<string, unknown>[]> {
  const { results } = await db
    .prepare(
      `WITH p (id) AS (SELECT value FROM json_each(?))
      SELECT p.id, 'contacts' AS of, coalesce(k.contacts || ':' || k.subscribed, '0:0') AS kept,
        (SELECT count(*) || ':' || coalesce(sum(subscribed), 0) FROM contacts c WHERE c.project_id = p.id) AS found
      FROM p LEFT JOIN project_counts k ON k.project_id = p.id
      WHERE kept <> found
      UNION ALL
      SELECT p.id, n.name, n.count || ':' || (n.day_count + (SELECT coalesce(sum(d.count), 0) FROM event_days d
          WHERE d.project_id = p.id AND d.name = n.name)) AS kept,
        (SELECT count(*) || ':' || count(*) FROM events e WHERE e.project_id = p.id AND e.name = n.name) AS found
      FROM p CROSS JOIN event_names n ON n.project_id = p.id
      WHERE kept <> found`,
    )
    .bind(JSON.stringify(projects))
    .all();
  return results;
}
