import { storedId } from "./as-seen";
import { idSql } from "./counts";
import type { TestProject } from "./project";

/** Events straight into the table, one a millisecond from `at` on, by as many contacts in turn. They are dispatched. */
export async function addEvents(
  project: TestProject,
  { name, count, at, contacts = ["c"] }: { name: string; count: number; at: number; contacts?: string[] },
): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO events (project_id, id, name, contact_id, data)
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?3 - 1)
      SELECT ?1, ${idSql("?4 + i")}, ?2, json_extract(?5, '$[' || (i % json_array_length(?5)) || ']'), '{}' FROM n`,
    )
    .bind(project.id, name, count, at, JSON.stringify(contacts.map(storedId)))
    .run();
}

/** Who listens for which events. */
export async function listen(project: TestProject, ...listeners: [name: string, listenerId: string][]): Promise<void> {
  const statement = project.db.prepare("INSERT INTO event_listeners (project_id, name, listener_id) VALUES (?, ?, ?)");
  await project.db.batch(listeners.map(([name, listenerId]) => statement.bind(project.id, name, listenerId)));
}

/** A segment, say, whose condition names this event. */
export async function refer(project: TestProject, name: string, referrer = "segment"): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO audience_references (project_id, kind, name, referrer, referrer_id, referrer_name)
        VALUES (?, 'event', ?, ?, ?, ?)`,
    )
    .bind(project.id, name, referrer, storedId(`${referrer}-1`), `The ${referrer}`)
    .run();
}
