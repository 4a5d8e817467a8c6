import { expect } from "vitest";
import { readId } from "../../src/core/ids";
import { recounted, storedCounts } from "./ledger";
import type { TestProject } from "./project";
import { emailRows } from "./rows";
import type { World } from "./world";

const out = ["SENT", "DELIVERED", "BOUNCED", "COMPLAINED"];

/**
 * A campaign has ended: so many of its emails in each status, which are final. The provider took each once that it was to
 * take, nobody's more than once, and none of those that ended before. The counters are what a recount finds.
 */
export async function expectEnded(
  world: World,
  project: TestProject,
  id: string,
  { status = "SENT", rows: wanted }: { status?: "SENT" | "CANCELLED"; rows: Record<string, number> },
): Promise<void> {
  const rows = await emailRows(project);
  const found: Record<string, number> = {};
  for (const { status } of rows) found[status] = (found[status] ?? 0) + 1;
  expect(found).toEqual(wanted);
  for (const row of rows) {
    const copies = world.taken.filter(({ emailId }) => emailId === row.id).length;
    const most = out.includes(row.status) || row.status === "UNKNOWN" ? 1 : 0;
    expect(copies, row.status).toBeLessThanOrEqual(most);
    if (out.includes(row.status)) expect(copies).toBe(1);
  }
  const { body } = await project.api.get(`/campaigns/${id}`);
  expect(body).toMatchObject({ status, totalRecipients: rows.length, heldReason: null });
  const campaign = { id: readId(id), pages: [], emailIds: [] };
  expect(await storedCounts(world, project, campaign)).toEqual(await recounted(project, campaign));
  const runs = project.db.prepare("SELECT count(*) AS n FROM campaign_runs WHERE project_id = ?");
  expect(await runs.bind(project.number).first("n")).toBe(0);
}
