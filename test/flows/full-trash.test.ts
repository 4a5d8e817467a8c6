import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { deleteTemplate } from "../../src/features/templates/delete";
import { purgeTrash } from "../../src/features/trash/purge";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { newTemplate } from "../support/template";
import { inTrash, putAway, restore } from "../support/trash";
import { World } from "../support/world";

/** Campaigns that were deleted long before everything else, the first of them first. */
async function fill({ db, number }: TestProject, entries: number, { endedFrom = entries } = {}): Promise<void> {
  await db
    .prepare(
      `INSERT INTO trash (project_id, type, id, name, content, deleted_at, purge_at)
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
        SELECT ?1, 'campaign', printf('%022d', i), 'Old ' || i, '{}', ?3 + i, iif(i < ?4, 9e15, 0) FROM n`,
    )
    .bind(number, entries, Date.now() - 86_400_000, endedFrom)
    .run();
}

const oldest = async ({ db, number }: TestProject) => {
  const sql = "SELECT name FROM trash WHERE project_id = ? AND purge_at > ? ORDER BY deleted_at LIMIT 1";
  return db.prepare(sql).bind(number, Date.now()).first<string>("name");
};

describe("a trash with 10,000 entries", () => {
  it("ends those that were deleted first, one for each deletion, and the neighbour's never", async () => {
    const [project, neighbour] = [await newProject(), await newProject()];
    await fill(project, 9_999);
    await fill(neighbour, 10_000);
    const [one, two] = [await newTemplate(project, { name: "One" }), await newTemplate(project, { name: "Two" })];
    await putAway(project, "template", one.id);
    expect(await oldest(project)).toBe("Old 0");
    await putAway(project, "template", two.id);
    expect([await oldest(project), await oldest(neighbour)]).toEqual(["Old 1", "Old 0"]);
    expect((await project.api.get("/trash?limit=1")).body.total).toBe(10_000);
    await purgeTrash(new World().process().platform);
    const count = "SELECT count(*) AS n FROM trash WHERE project_id = ?";
    expect(await project.db.prepare(count).bind(project.number).first<number>("n")).toBe(10_000);
    expect((await restore(project, "template", one.id)).status).toBe(200);
  });

  it("takes one statement more that reads its index alone", async () => {
    const [world, project] = [new World(), await newProject()];
    await fill(project, 11_000);
    const { id } = await newTemplate(project);
    const { ctx, process } = await world.context(project);
    await deleteTemplate(ctx, readId(id));
    expect(process.mostRowsRead).toBeLessThan(25_000);
    const counting = process.statements.filter(({ sql }) => sql.includes("ix_trash_list"));
    expect(counting).toHaveLength(2);
    for (const { sql, values } of counting) {
      const plan = await project.db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...values)
        .all<{ detail: string }>();
      expect(plan.results.map(({ detail }) => detail).join("\n")).toContain("USING COVERING INDEX ix_trash_list");
    }
  });

  it("refuses a deletion while 2,000 more wait for the sweep, and deletes nothing", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    await fill(project, 12_000, { endedFrom: 100 });
    const refused = await project.api.delete(`/templates/${id}`);
    expectRefusal(refused, 409, "CONFLICT", { details: { limit: 10_000 } });
    expect((await project.api.get(`/templates/${id}`)).status).toBe(200);
    await purgeTrash(new World().process().platform);
    await putAway(project, "template", id);
    expect((await inTrash(project, "?limit=1"))[0]).toBe("template Welcome");
  });
});
