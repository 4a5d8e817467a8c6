import { describe, expect, it } from "vitest";
import { listJobs } from "../../src/features/jobs/list";
import { idSql } from "../support/counts";
import { expectBounded } from "../support/plan";
import { call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, uuid } from "../support/refusal";
import { newContact } from "../support/segment";
import { World } from "../support/world";

/** Jobs number 1..count, straight into the table, all made in the same millisecond. */
async function addJobs({ db, id }: TestProject, count: number, type: string, status = "completed"): Promise<void> {
  await db
    .prepare(
      `INSERT INTO jobs (project_id, id, type, status, errors, created_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
        SELECT ?1, ${idSql("i")}, ?3, ?4, '[]', 1000 FROM n`,
    )
    .bind(id, count, type, status)
    .run();
}

async function pagesOf(project: TestProject, query: string) {
  const pages = [];
  let cursor = "";
  do {
    const { status, body } = await project.api.get(`/jobs?${query}&cursor=${encodeURIComponent(cursor)}`);
    expect(status).toBe(200);
    pages.push(body);
    cursor = body.cursor;
  } while (cursor !== "");
  return pages;
}

describe("GET /jobs", () => {
  it("lists the jobs of the project, and of no other", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const contact = await newContact(project, "ada@example.com");
    const { jobId } = (await project.api.post("/contacts/bulk-unsubscribe", { contactIds: [contact.id] })).body;
    const { status, body } = await project.api.get("/jobs");
    expect(status).toBe(200);
    expect(body).toMatchObject({ cursor: "", hasMore: false, total: 1 });
    expect(body.data).toEqual([(await project.api.get(`/jobs/${jobId}`)).body]);
    expect(body.data[0]).toMatchObject({ jobId: expect.stringMatching(uuid), type: "contacts.bulk" });
    expect((await other.api.get("/jobs")).body).toMatchObject({ data: [], total: 0 });
  });

  it("lists each once, page by page, also when all have the same time", async () => {
    const project = await newProject();
    await addJobs(project, 45, "contacts.import");
    const pages = await pagesOf(project, "limit=20");
    expect(pages.map(({ data }) => data.length)).toEqual([20, 20, 5]);
    expect(pages.map(({ total }) => total)).toEqual([45, 0, 0]);
    const ids = pages.flatMap(({ data }) => data.map(({ jobId }: { jobId: string }) => jobId));
    expect(new Set(ids).size).toBe(45);
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  it("filters by status and by type", async () => {
    const project = await newProject();
    await addJobs(project, 3, "contacts.import", "failed");
    await project.db
      .prepare(
        "UPDATE jobs SET type = 'contacts.bulk' WHERE rowid IN (SELECT rowid FROM jobs WHERE project_id = ? LIMIT 1)",
      )
      .bind(project.id)
      .run();
    await project.db
      .prepare("UPDATE jobs SET status = 'completed' WHERE type = 'contacts.bulk' AND project_id = ?")
      .bind(project.id)
      .run();
    const counted = async (query: string) => (await project.api.get(`/jobs?${query}`)).body.total;
    expect(await counted("status=failed")).toBe(2);
    expect(await counted("type=contacts.bulk")).toBe(1);
    expect(await counted("status=failed&type=contacts.bulk")).toBe(0);
    expect(await counted("status=completed&type=contacts.bulk")).toBe(1);
  });

  it("looks through windows: a filter that few match ends a page early, and the cursor goes on", async () => {
    const project = await newProject();
    await addJobs(project, 25_010, "contacts.import");
    await project.db
      .prepare(
        "UPDATE jobs SET status = 'failed' WHERE project_id = ?1 AND id = (SELECT min(id) FROM jobs WHERE project_id = ?1)",
      )
      .bind(project.id)
      .run();
    const [first, second] = await pagesOf(project, "status=failed");
    expect(first).toMatchObject({ data: [], hasMore: true, total: 0, approximate: true });
    expect(second).toMatchObject({ data: [{ status: "failed" }], hasMore: false });
  });

  it("refuses what it does not know", async () => {
    const project = await newProject();
    expectInvalid(await project.api.get("/jobs?status=running"), "status", "invalid_enum_value");
    expectInvalid(await project.api.get("/jobs?type=contacts"), "type", "invalid_enum_value");
    expectRefusal(await project.api.get("/jobs?cursor=nope"), 400, "BAD_REQUEST");
    expectRefusal(await call("GET", "/jobs"), 401, "INVALID_API_KEY");
    await addJobs(project, 3, "contacts.import");
    const { cursor } = (await project.api.get("/jobs?limit=1")).body;
    expectRefusal(await project.api.get(`/jobs?limit=1&status=failed&cursor=${cursor}`), 400, "BAD_REQUEST");
  });

  it("reads no more because a project has more", async () => {
    const [world, project] = [new World(), await newProject()];
    await addJobs(project, 300, "contacts.import");
    const { ctx } = await world.context(project);
    const { cursor } = await listJobs(ctx, {}, { limit: 10 });
    await listJobs(ctx, {}, { limit: 10, cursor });
    await listJobs(ctx, { status: "failed" }, { limit: 10 });
    // A window has 25,000 jobs at most.
    const step = /^SEARCH jobs USING INDEX ix_jobs_list \(project_id=\?\)$/;
    await expectBounded(world.statements, [{ sql: /FROM jobs INDEXED BY ix_jobs_list .* LIMIT \?/, step }]);
  });
});
