import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { deleteTemplate } from "../../src/features/templates/delete";
import { listTrash } from "../../src/features/trash/list";
import { purgeTrash } from "../../src/features/trash/purge";
import { planOf } from "../support/plan";
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

  it("does not count those that were ended and wait for the sweep", async () => {
    const project = await newProject();
    await fill(project, 10_500, { endedFrom: 9_999 });
    const [one, two] = [await newTemplate(project, { name: "One" }), await newTemplate(project, { name: "Two" })];
    await putAway(project, "template", one.id);
    expect(await oldest(project)).toBe("Old 0");
    await putAway(project, "template", two.id);
    expect(await oldest(project)).toBe("Old 1");
  });

  it("is listed and counted from an index, however many have ended", async () => {
    const [world, project] = [new World(), await newProject()];
    await fill(project, 11_000, { endedFrom: 9_000 });
    for (const type of [undefined, "campaign" as const]) {
      const { ctx, process } = await world.context(project);
      expect((await listTrash(ctx, { limit: 1, type })).total).toBe(9_000);
      const [listing, counting] = process.statements.filter(({ sql }) => sql.includes("FROM trash INDEXED BY"));
      if (listing === undefined || counting === undefined) throw new Error("The list has two statements");
      expect((await planOf(counting)).join()).toMatch(/USING COVERING INDEX ix_trash_(list|type)/);
      expect((await planOf(listing)).join()).not.toContain("TEMP B-TREE");
    }
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
    for (const one of counting) expect((await planOf(one)).join()).toContain("USING COVERING INDEX ix_trash_list");
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
