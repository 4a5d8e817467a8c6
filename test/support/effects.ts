import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { TestProject } from "./project";

const tables = ["contacts", "contact_fields", "emails", "email_contents", "events", "suppressions"];

/** Everything a call could leave behind in a project, counted; a change of a contact shows in its version. */
export async function effects(project: TestProject): Promise<Record<string, number>> {
  const counts = tables.map((table) => project.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`));
  const sums = [
    project.db.prepare("SELECT coalesce(sum(version), 0) AS n FROM contacts WHERE project_id = ?"),
    project.db.prepare("SELECT coalesce(sum(emails), 0) AS n FROM monthly_usage WHERE project_id = ?"),
  ];
  const results = await project.db.batch<{ n: number }>([...counts, ...sums].map((count) => count.bind(project.id)));
  const names = [...tables, "changes of contacts", "emails of the month"];
  const bodies = await env.BLOBS.list({ prefix: `content/${project.id}/` });
  return {
    ...Object.fromEntries(names.map((name, index) => [name, results[index]?.results[0]?.n ?? 0])),
    "large bodies": bodies.objects.length,
  };
}

/** What a project is that nobody has called yet. */
export const noEffects = Object.fromEntries(
  [...tables, "changes of contacts", "emails of the month", "large bodies"].map((name) => [name, 0]),
);

/** A refused call had no effect at all. What it put down beforehand may be cleared up just after the answer. */
export async function expectEffects(project: TestProject, expected: Record<string, number>): Promise<void> {
  await vi.waitFor(async () => expect(await effects(project)).toEqual(expected), { timeout: 2_000, interval: 10 });
}
