import { type SQL, sql } from "drizzle-orm";
import { type Statement, statement } from "../../db/statement";

/**
 * Updates a project's stored counts of contacts, in the batch that changes them and before the change. `changes` is a
 * SELECT of `project_id, contacts, subscribed`, with a row for each contact that will be written. The last two columns
 * are differences, which may be 0 or negative. Nothing is written when nothing changes.
 */
export function upsertCounts(changes: SQL): Statement {
  return statement(
    sql`INSERT INTO project_counts (project_id, contacts, subscribed, contacts_version)
      SELECT project_id, sum(contacts), sum(subscribed), 1 FROM (${changes}) GROUP BY project_id
      ON CONFLICT DO UPDATE SET contacts = project_counts.contacts + excluded.contacts,
        subscribed = project_counts.subscribed + excluded.subscribed,
        contacts_version = project_counts.contacts_version + 1`,
  );
}
