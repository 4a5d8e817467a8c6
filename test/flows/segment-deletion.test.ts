import { expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { deleteSegment } from "../../src/features/segments/delete";
import { purgeTrash } from "../../src/features/trash/purge";
import { idSql } from "../support/counts";
import { wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { newSegment } from "../support/segment";
import { emptyTrash, endTrash } from "../support/trash";
import { World } from "../support/world";

async function members(project: TestProject): Promise<number> {
  const row = await project.db
    .prepare("SELECT count(*) AS n FROM segment_members WHERE project_id = ?")
    .bind(project.id)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

async function segmentWithMembers(project: TestProject, count: number): Promise<string> {
  const { id } = await newSegment(project, { type: "STATIC", trackMembership: true });
  await project.db
    .prepare(
      `INSERT INTO segment_members (project_id, segment_id, contact_id, created_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3) SELECT ?1, ?2, ${idSql("i")}, 0 FROM n`,
    )
    .bind(project.id, id, count)
    .run();
  return id;
}

it("a segment with many members is gone at once, and its rows go in steps after 30 days, whoever dies on the way", async () => {
  const project = await newProject();
  const world = new World();
  const neighbour = await segmentWithMembers(project, 10);
  const id = await segmentWithMembers(project, 4_500);
  const { ctx } = await world.context(project, { atStep: 2, when: "after" });
  await expect(deleteSegment(ctx, readId(id))).rejects.toSatisfy(wasKilled);
  expect((await project.api.get(`/segments/${id}`)).status).toBe(404);
  expect(await members(project)).toBe(4_510);

  await endTrash(project);
  for (let atStep = 1; atStep < 6; atStep++) {
    await purgeTrash(world.process({ atStep, when: "after" }).platform).catch((error: unknown) => {
      expect(wasKilled(error)).toBe(true);
    });
  }
  // The job's message is lost.
  world.queue = [];
  world.now += 6 * 60_000;
  await world.sweep();
  for (let atStep = 1; world.queue.length > 0 && atStep < 12; atStep++) {
    await world.runAndDie({ atStep, when: atStep % 2 ? "before" : "after" });
  }
  await world.pass(6);
  expect([await members(project), await eventCounts(project)]).toEqual([10, {}]);
  const { results } = await project.db
    .prepare("SELECT type, status FROM jobs WHERE project_id = ?")
    .bind(project.id)
    .all();
  expect(results).toEqual([{ type: "segments.delete-members", status: "completed" }]);
  await project.api.delete(`/segments/${neighbour}`);
  await emptyTrash(world, project);
  await world.pass(6);
  expect(await members(project)).toBe(0);
});
