import type { TestProject } from "./project";

export interface EmailState {
  id: string;
  to_email: string;
  status: string;
  error: string | null;
  attempts: number;
}

/** The emails of a project, in the order of their addresses. */
export async function emailRows(project: TestProject): Promise<EmailState[]> {
  const { results } = await project.db
    .prepare(`SELECT id, to_email, status, error, attempts FROM emails WHERE project_id = ? ORDER BY to_email, id`)
    .bind(project.id)
    .all<EmailState>();
  return results;
}

/** How many events of each name the project has. */
export async function eventCounts(project: TestProject): Promise<Record<string, number>> {
  const { results } = await project.db
    .prepare("SELECT name, count(*) AS n FROM events WHERE project_id = ? GROUP BY name")
    .bind(project.id)
    .all<{ name: string; n: number }>();
  return Object.fromEntries(results.map((row) => [row.name, row.n]));
}
