import { describe, expect, it } from "vitest";
import { conditionOf } from "../../src/core/audience/condition";
import { publicId } from "../../src/core/ids";
import type { BulkContacts, BulkOperation } from "../../src/features/contacts/bulk/schema";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { storedId } from "../support/as-seen";

import { newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

const isPro = conditionOf({ field: "data.plan", operator: "equals", value: "pro" });

/** Two hundred and fifty people on the plan pro, which is three steps, between fifty others. All are subscribed. */
async function peopled(): Promise<TestProject> {
  const project = await newProject();
  const people = Array.from({ length: 300 }, (_, n) => ({
    id: storedId(`00000000-0000-7000-8000-${String(n + 1).padStart(12, "0")}`),
    email: `${n % 2 ? "odd" : "even"}${n}@example.com`,
    plan: n % 6 === 0 ? "free" : "pro",
  }));
  await project.db
    .prepare(
      `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
      SELECT value->>'id', ?1, value->>'email', 1, json_object('plan', value->>'plan'), 0, 0 FROM json_each(?2)`,
    )
    .bind(project.id, JSON.stringify(people))
    .run();
  return project;
}

async function start(world: World, project: TestProject, operation: BulkOperation, matching: object): Promise<string> {
  const { ctx } = await world.context(project);
  const asked = { matching: { condition: null, search: "", ...matching } } as BulkContacts;
  return publicId(await startBulk(ctx, operation, asked));
}

const jobOf = async ({ api }: TestProject, id: string) => (await api.get(`/contacts/bulk/${id}`)).body;

async function subscribedPlans({ db, id }: TestProject): Promise<Record<string, number>> {
  const { results } = await db
    .prepare("SELECT data->>'plan' AS plan, total(subscribed) AS n FROM contacts WHERE project_id = ? GROUP BY 1")
    .bind(id)
    .all<{ plan: string; n: number }>();
  return Object.fromEntries(results.map(({ plan, n }) => [plan, n]));
}

describe("a bulk operation on all that match", () => {
  it("killed at each of its steps, changes each of them once, and nobody who came later", async () => {
    for (const atStep of [1, 2, 3, 4]) {
      const [world, project] = [new World(), await peopled()];
      const id = await start(world, project, "unsubscribe", { condition: isPro });
      await world.runAndDie({ atStep, when: "after" });
      await world.drain();
      expect(await jobOf(project, id)).toMatchObject({
        ...{ status: "completed", progress: 100, totalRequested: 250 },
        ...{ succeeded: 250, unchanged: 0, failed: 0, errors: [] },
      });
      expect(await subscribedPlans(project)).toEqual({ free: 50, pro: 0 });
      expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 250 });
    }
  });

  it("leaves out who is created after the call", async () => {
    const [world, project] = [new World(), await peopled()];
    await start(world, project, "delete", {});
    await new Promise((passed) => setTimeout(passed, 5));
    await project.api.post("/contacts", { email: "late@example.com", data: { plan: "late" } });
    await world.drain();
    expect(await subscribedPlans(project)).toEqual({ late: 1 });
  });

  it("finds a part of the address among those who match", async () => {
    const [world, project] = [new World(), await peopled()];
    const id = await start(world, project, "unsubscribe", { condition: isPro, search: "ODD" });
    await world.drain();
    expect(await jobOf(project, id)).toMatchObject({ totalRequested: 150, succeeded: 150 });
    expect(await subscribedPlans(project)).toEqual({ free: 50, pro: 100 });
  });

  it("fails, and changes nobody, when a segment of its condition is gone", async () => {
    const [world, project] = [new World(), await peopled()];
    const { body: segment } = await project.api.post("/segments", { name: "Guests", type: "STATIC" });
    const condition = conditionOf({ field: `segment.${segment.id}`, operator: "notMemberOfSegment" });
    const id = await start(world, project, "delete", { condition });
    await project.api.delete(`/segments/${segment.id}`);
    await world.drain();
    expect(await jobOf(project, id)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("no longer valid"),
      succeeded: 0,
    });
    expect(await subscribedPlans(project)).toEqual({ free: 50, pro: 250 });
  });

  it.each([
    [{}, "matching", "required"],
    [{ search: " " }, "matching", "required"],
    [{ conditions: isPro, everybody: true }, "matching.conditions", "custom"],
    [{ condition: { ...isPro, group: [] } }, "matching.condition.group", "custom"],
  ])("is refused when it may mean more people than its caller meant: %j", async (matching, field, code) => {
    const project = await newProject();
    for (const operation of ["subscribe", "unsubscribe", "delete"]) {
      expectInvalid(await project.api.post(`/contacts/bulk-${operation}`, { matching }), field, code);
    }
    expect((await project.api.get("/jobs")).body.data).toEqual([]);
  });

  it("spares who stops matching between the search and the erasure", async () => {
    const [world, project] = [new World(), await peopled()];
    const id = await start(world, project, "delete", { condition: isPro });
    const spared = "even2@example.com";
    let isSpared = false;
    world.fault = {
      async meet({ sql }, make) {
        if (!isSpared && sql.some((text) => text.startsWith("DELETE FROM contacts"))) {
          isSpared = true;
          const change = 'UPDATE contacts SET data = \'{"plan":"free"}\' WHERE project_id = ? AND email = ?';
          await project.db.prepare(change).bind(project.id, spared).run();
        }
        return make();
      },
    };
    await world.drain();
    expect(isSpared).toBe(true);
    expect(await jobOf(project, id)).toMatchObject({ status: "completed", succeeded: 249, failed: 0 });
    expect((await project.api.get(`/contacts?search=${spared}`)).body.data).toHaveLength(1);
  });

  it("refuses a condition with another project's segment, and contactIds beside it", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { body: segment } = await other.api.post("/segments", { name: "Guests", type: "STATIC" });
    const condition = conditionOf({ field: `segment.${segment.id}`, operator: "memberOfSegment" });
    const path = "/contacts/bulk-subscribe";
    const refused = await project.api.post(path, { matching: { condition } });
    expectInvalid(refused, "matching.condition.groups.0.filters.0.field", refused.body.error.errors[0].code);
    const both = { matching: { everybody: true }, contactIds: ["a"] };
    expectInvalid(await project.api.post(path, both), "matching", "custom");
    expect((await project.api.post(path, { matching: { condition: isPro } })).status).toBe(202);
  });
});
