import { readId } from "../../src/core/ids";
import type { SegmentRow } from "../../src/db/tables";
import { getSegment } from "../../src/features/segments/segment";
import { idSql } from "./counts";
import type { TestProject } from "./project";
import type { World } from "./world";

export async function segmentRow(world: World, project: TestProject, { id }: { id: string }): Promise<SegmentRow> {
  return getSegment((await world.context(project)).ctx, readId(id));
}

/** The addresses of those who have a member row, sorted. */
export async function memberRows(project: TestProject, { id }: { id: string }): Promise<string[]> {
  const { results } = await project.db
    .prepare(
      `SELECT c.email FROM segment_members m JOIN contacts c ON c.project_id = m.project_id AND c.id = m.contact_id
      WHERE m.project_id = ? AND m.segment_id = ? ORDER BY c.email`,
    )
    .bind(project.id, id)
    .all<{ email: string }>();
  return results.map(({ email }) => email);
}

/**
 * What the rows and events of a segment come to. `wrong` are contacts whose entries and exits, since there was nobody in
 * it, do not add up to whether they are members: each has entered once more than left, or as often.
 */
export async function ledgerOf(
  project: TestProject,
  { id, slug }: { id: string; slug: string },
): Promise<Record<string, number>> {
  const row = await project.db
    .prepare(
      `WITH told (contact_id, entries, exits) AS (SELECT contact_id, sum(name = ?2), sum(name = ?3) FROM events
        WHERE project_id = ?4 AND name IN (?2, ?3) GROUP BY contact_id),
      members AS (SELECT contact_id FROM segment_members WHERE project_id = ?4 AND segment_id = ?1)
    SELECT (SELECT count(*) FROM members) AS members, coalesce(sum(entries), 0) AS entries, coalesce(sum(exits), 0) AS exits,
      coalesce(sum(entries - exits <> (contact_id IN (SELECT contact_id FROM members))), 0)
        + (SELECT count(*) FROM members WHERE contact_id NOT IN (SELECT contact_id FROM told)) AS wrong
    FROM told`,
    )
    .bind(id, `segment.${slug}.entry`, `segment.${slug}.exit`, project.id)
    .first<Record<string, number>>();
  return row ?? {};
}

/** Contacts number from..to, straight into the table: every second one is on the pro plan, the others on the free one. */
export async function addContacts(project: TestProject, from: number, to: number): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
      SELECT ?1, ${idSql("i")}, 'c' || i || '@example.com', true,
        json_object('n', i, 'plan', CASE i % 2 WHEN 0 THEN 'pro' ELSE 'free' END), i, i FROM n`,
    )
    .bind(project.id, from, to)
    .run();
}

export async function setPlan(project: TestProject, email: string, plan: string): Promise<void> {
  await project.api.post("/contacts", { email, data: { plan } });
}
