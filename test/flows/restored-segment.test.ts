import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { restoreSegment } from "../../src/features/segments/restore";
import { wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { addMembers, newContact, newSegment } from "../support/segment";
import { inTrash, putAway } from "../support/trash";
import { World } from "../support/world";

/** A static segment in the trash, of whose three members one has been erased since. */
async function putAwayWithMembers(): Promise<{ project: TestProject; id: string }> {
  const project = await newProject();
  const { id } = await newSegment(project, { type: "STATIC", condition: undefined });
  const emails = ["ada@example.com", "bob@example.com", "eve@example.com"];
  const [, , eve] = [
    await newContact(project, "ada@example.com"),
    await newContact(project, "bob@example.com"),
    await newContact(project, "eve@example.com"),
  ];
  await addMembers(project, id, { emails });
  await putAway(project, "segment", id);
  expect((await project.api.delete(`/contacts/${eve.id}`)).status).toBe(204);
  return { project, id };
}

const countOf = async ({ api }: TestProject, id: string) => (await api.get(`/segments/${id}`)).body.memberCount;

const jobsOf = ({ db, number }: TestProject) =>
  db
    .prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ? AND type = 'segments.count'")
    .bind(number)
    .first<number>("n");

describe("the members of a restored static segment", () => {
  it("are counted at once, without a job", async () => {
    const [world, { project, id }] = [new World(), await putAwayWithMembers()];
    const { ctx } = await world.context(project);
    expect((await restoreSegment(ctx, readId(id))).memberCount).toBe(2);
    expect([await countOf(project, id), await jobsOf(project)]).toEqual([2, 0]);
  });

  it.each(["before", "after"] as const)("are counted wherever the call dies, just %s a step", async (when) => {
    const world = new World();
    let diedWhenBack = 0;
    for (let atStep = 1; ; atStep++) {
      const { project, id } = await putAwayWithMembers();
      const { ctx } = await world.context(project, { atStep, when });
      const died = await restoreSegment(ctx, readId(id)).then(
        () => false,
        (error: unknown) => wasKilled(error) || Promise.reject(error),
      );
      if ((await inTrash(project)).length === 0) {
        if (died && (await countOf(project, id)) !== 2) diedWhenBack++;
        await world.pass(3);
        expect([await countOf(project, id), await jobsOf(project)]).toEqual([2, 0]);
      }
      if (!died) break;
    }
    expect(diedWhenBack).toBeGreaterThan(0);
  });

  it("are counted by the job when others keep changing the members, and the call succeeds", async () => {
    const [world, { project, id }] = [new World(), await putAwayWithMembers()];
    const touch = project.db.prepare("UPDATE segments SET counted_at = counted_at + 1 WHERE project_id = ?");
    world.fault = {
      meet: async (trip, make) => {
        if (trip.sql.some((text) => text.includes("FROM segment_members"))) await touch.bind(project.number).run();
        return make();
      },
    };
    const { ctx } = await world.context(project);
    expect((await restoreSegment(ctx, readId(id))).id).toBe(id);
    expect([await countOf(project, id), await jobsOf(project)]).toEqual([3, 1]);
    world.fault = null;
    await world.pass(3);
    expect([await countOf(project, id), await jobsOf(project)]).toEqual([2, 0]);
  });
});
