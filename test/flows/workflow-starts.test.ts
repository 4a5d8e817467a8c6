import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { publicId, readId, textOf } from "../../src/core/ids";
import { openBatch } from "../../src/db/batch";
import { insertEvents } from "../../src/engine/events/record";
import { newProject, type TestProject } from "../support/project";
import { newSegment } from "../support/segment";
import {
  addressOf,
  executionsOf,
  type GivenWorkflow,
  mirrorOf,
  newWorkflow,
  type TestWorkflow,
  track,
} from "../support/workflow";
import { World } from "../support/world";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const ending: GivenWorkflow = { steps: { exit: ["EXIT", {}] }, ways: [["TRIGGER", "exit"]] };
const sleeping: GivenWorkflow = {
  steps: { later: ["DELAY", { amount: 1, unit: "days" }] },
  ways: [["TRIGGER", "later"]],
};

/** An event of the service itself, with causes. */
async function happen(
  world: World,
  project: TestProject,
  contactId: unknown,
  { name, causes = [] }: { name: string; causes?: string[] },
): Promise<void> {
  const { ctx } = await world.context(project);
  const batch = openBatch(ctx);
  batch.add(
    insertEvents(ctx, {
      rows: sql`SELECT ${project.number} AS project_id, ${name} AS name, ${textOf(contactId as never)} AS contact_id,
        NULL AS email_id, '{}' AS data, ${JSON.stringify(causes)} AS causes`,
      hasCauses: true,
    }),
  );
  await batch.commit();
  await world.drain();
}

describe("what an event starts", () => {
  it("is decided by its row: who is enabled and listens to its very name", async () => {
    const world = new World();
    const project = await newProject();
    const on = await newWorkflow(project, ending);
    await newWorkflow(project, { ...ending, enabled: false });
    await newWorkflow(project, { ...ending, eventName: "Signup" });
    await newWorkflow(project, { ...ending, eventName: "*" });
    const { contactId } = await track(world, project, "signup");
    const stored = await project.db
      .prepare("SELECT starts FROM events WHERE project_id = ? AND name = 'signup'")
      .bind(project.number)
      .first<string>("starts");
    expect(JSON.parse(stored ?? "")).toEqual([textOf(on.id)]);
    await world.drain();
    expect(await mirrorOf(project, contactId)).toHaveLength(1);
  });

  it("is started once for a contact, or again after its end with re-entry", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, ending);
    await newWorkflow(project, { ...sleeping, allowReentry: true });
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    world.now += hourMs;
    await track(world, project, "signup");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toHaveLength(2);
    world.now += dayMs;
    await world.ring(addressOf(project, contactId));
    await track(world, project, "signup");
    await world.drain();
    const statuses = (await mirrorOf(project, contactId)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(["COMPLETED", "EXITED", "WAITING"]);
  });

  it("is not made up for when the workflow is enabled, or allows re-entry, only later", async () => {
    const world = new World();
    const project = await newProject();
    const off = await newWorkflow(project, { ...ending, enabled: false });
    const once = await newWorkflow(project, ending);
    const { contactId } = await track(world, project, "signup");
    await track(world, project, "signup");
    await world.drain();
    expect((await project.api.patch(`/workflows/${publicId(off.id)}`, { enabled: true })).status).toBe(200);
    expect((await project.api.patch(`/workflows/${publicId(once.id)}`, { allowReentry: true })).status).toBe(200);
    await world.drain();
    expect(await mirrorOf(project, contactId)).toHaveLength(1);
    // The next event starts both.
    await track(world, project, "signup");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toHaveLength(3);
  });

  it("starts by public keys at most once a minute, and never a closed workflow", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, { ...ending, allowReentry: true });
    await newWorkflow(project, { ...ending, allowReentry: true, publicEvents: false });
    const { contactId } = await track(world, project, "signup", { key: "public" });
    await world.drain();
    world.now += 59 * secondMs;
    await track(world, project, "signup", { key: "public" });
    await world.drain();
    expect(await mirrorOf(project, contactId)).toHaveLength(1);
    world.now += secondMs;
    await track(world, project, "signup", { key: "public" });
    await world.drain();
    expect(await mirrorOf(project, contactId)).toHaveLength(2);
    // A server's events are held by nothing.
    await track(world, project, "signup");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toHaveLength(4);
  });

  it("does not wake a closed workflow by a public key's event, neither from the log nor later", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, {
      publicEvents: false,
      steps: { wait: ["WAIT_FOR_EVENT", { eventName: "purchase" }], exit: ["EXIT", {}] },
      ways: [
        ["TRIGGER", "wait"],
        ["wait", "exit"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    world.now += 20;
    await track(world, project, "purchase", { key: "public" });
    await world.drain();
    await track(world, project, "purchase", { key: "public" });
    await world.drain();
    expect((await mirrorOf(project, contactId))[0]?.status).toBe("WAITING");
    await track(world, project, "purchase");
    await world.drain();
    expect((await mirrorOf(project, contactId))[0]?.status).toBe("EXITED");
  });

  it("is entered by events of segments at most once an hour", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, { ...ending, eventName: "segment.vip.entry", allowReentry: true });
    const { contactId } = await track(world, project, "signup");
    await happen(world, project, contactId, { name: "segment.vip.entry" });
    world.now += 59 * minuteMs;
    await happen(world, project, contactId, { name: "segment.vip.entry" });
    expect(await mirrorOf(project, contactId)).toHaveLength(1);
    world.now += minuteMs;
    await happen(world, project, contactId, { name: "segment.vip.entry" });
    expect(await mirrorOf(project, contactId)).toHaveLength(2);
  });

  it("is never what led to it, and nothing after more than five causes", async () => {
    const world = new World();
    const project = await newProject();
    const workflows: TestWorkflow[] = [];
    for (let n = 0; n < 2; n++)
      workflows.push(await newWorkflow(project, { ...ending, allowReentry: true, eventName: "loop" }));
    const { contactId } = await track(world, project, "signup");
    const [first, second] = workflows.map(({ id }) => textOf(id));
    await happen(world, project, contactId, { name: "loop", causes: [first ?? "", "a", "b", "c", "d"] });
    const executions = await executionsOf(world, project, contactId);
    expect(executions.map(({ workflowId }) => textOf(workflowId))).toEqual([second]);
    await happen(world, project, contactId, { name: "loop", causes: ["a", "b", "c", "d", "e", "f"] });
    expect(await mirrorOf(project, contactId)).toHaveLength(1);
  });
});

describe("a workflow that changes what starts it", () => {
  it("does not start itself: the event of its step carries it", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, {
      eventName: "contact.unsubscribed",
      allowReentry: true,
      steps: { back: ["UPDATE_CONTACT", { subscribed: true }], out: ["UPDATE_CONTACT", { subscribed: false }] },
      ways: [
        ["TRIGGER", "back"],
        ["back", "out"],
      ],
    });
    const { contactId } = await track(world, project, "signup");
    await project.api.patch(`/contacts/${(await project.api.get("/contacts")).body.data[0].id}`, { subscribed: false });
    await world.sweep();
    world.now += 2 * minuteMs;
    await world.sweep();
    await world.drain();
    await world.sweep();
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "COMPLETED" }]);
  });
});

describe("a schedule", () => {
  const everybody = { logic: "AND", groups: [{ filters: [{ field: "email", operator: "contains", value: "@" }] }] };

  async function scheduled(
    project: TestProject,
    cron: string,
    segmentId: string,
    nextTickAt: number,
    allowReentry = true,
  ) {
    const workflow = await newWorkflow(project, { ...ending, eventName: null, allowReentry });
    await project.db
      .prepare(
        "UPDATE workflows SET trigger_type = 'SCHEDULE', trigger_config = ?, next_tick_at = ? WHERE project_id = ? AND id = ?",
      )
      .bind(JSON.stringify({ cron, segmentId }), nextTickAt, project.number, textOf(workflow.id))
      .run();
    return workflow;
  }

  it("starts each member once at each tick, and of missed ticks only at the latest", async () => {
    const world = new World();
    const project = await newProject();
    for (const name of ["a", "b"])
      await project.api.post("/contacts", { email: `${name}@example.com`, data: { plan: "pro" } });
    await project.api.post("/contacts", { email: "c@example.com", data: { plan: "free" } });
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    };
    const segment = await newSegment(project, { condition });
    const hour = Math.ceil(world.now / hourMs) * hourMs;
    const { id } = await scheduled(project, "0 * * * *", segment.id, hour);
    // One that is known no longer.
    await project.db.prepare("INSERT INTO workflow_ticks VALUES (?, ?, 1, NULL, 1)").bind(project.id, textOf(id)).run();
    world.now = hour - 1;
    await world.sweep();
    await world.drain();
    const count = async () =>
      project.db
        .prepare("SELECT count(*) AS n FROM workflow_executions WHERE project_id = ? AND workflow_id = ?")
        .bind(project.number, textOf(id))
        .first<number>("n");
    expect(await count()).toBe(0);
    world.now = hour;
    await Promise.all([world.sweep(), world.sweep()]);
    await world.drain();
    expect(await count()).toBe(2);
    world.now = hour + 5 * hourMs + minuteMs;
    await world.sweep();
    await world.drain();
    await world.sweep();
    await world.drain();
    expect(await count()).toBe(4);
    const { results } = await project.db
      .prepare("SELECT tick, completed_at FROM workflow_ticks WHERE project_id = ? ORDER BY tick")
      .bind(project.number)
      .all();
    expect(results).toMatchObject([{ tick: hour }, { tick: hour + 5 * hourMs, completed_at: world.now }]);
  });

  it("goes on with the latest of the ticks that come while an earlier one is under way, by one job", async () => {
    const world = new World();
    const project = await newProject();
    await project.api.post("/contacts", { email: "a@example.com" });
    const segment = await newSegment(project, { condition: everybody });
    const hour = Math.ceil(world.now / hourMs) * hourMs;
    const { id } = await scheduled(project, "0 * * * *", segment.id, hour);
    for (let ticks = 0; ticks < 3; ticks++) {
      world.now = hour + ticks * hourMs;
      await world.sweep();
    }
    const jobs = project.db.prepare("SELECT id, status FROM jobs WHERE project_id = ?").bind(project.number);
    expect((await jobs.all()).results).toEqual([{ id: publicId(id), status: "queued" }]);
    await world.drain();
    expect((await jobs.all()).results).toEqual([{ id: publicId(id), status: "completed" }]);
    const ended = project.db.prepare("SELECT count(*) AS n FROM workflow_executions WHERE workflow_id = ?");
    // The first and the third.
    expect(await ended.bind(textOf(id)).first("n")).toBe(2);
    world.now += hourMs;
    await world.sweep();
    await world.drain();
    expect((await jobs.all()).results).toHaveLength(1);
    expect(await ended.bind(textOf(id)).first("n")).toBe(3);
  });

  it("comes at once, also for a neighbour of somebody with hundreds", async () => {
    const world = new World();
    const nobody = "s".repeat(22);
    const [crowd, neighbour] = [await newProject(), await newProject()];
    const { id } = await scheduled(crowd, "0 * * * *", nobody, world.now);
    await crowd.db
      .prepare(
        `INSERT INTO workflows (project_id, id, name, enabled, trigger_type, trigger_config, allow_reentry, search_text,
            next_tick_at, created_at, updated_at)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 249)
          SELECT project_id, printf('%022d', i), name, enabled, trigger_type, trigger_config, allow_reentry, search_text,
            next_tick_at - 1000, created_at, updated_at FROM n CROSS JOIN workflows WHERE project_id = ?1 AND id = ?2`,
      )
      .bind(crowd.id, textOf(id))
      .run();
    await scheduled(neighbour, "0 * * * *", nobody, world.now);
    await world.sweep();
    const started = world.queue.flatMap(({ queued: { message } }) =>
      message.type === "workflows.start" ? [message.projectId] : [],
    );
    expect(started.filter((project) => project === neighbour.number)).toHaveLength(1);
    expect(started.filter((project) => project === crowd.number)).toHaveLength(250);
    // The few consumers of jobs are shared: what one project starts comes to them little by little.
    const atOnce = world.queue.filter(({ due }) => due < world.now + secondMs);
    const projects = atOnce.flatMap(({ queued: { message } }) =>
      message.type === "workflows.start" ? [message.projectId] : [],
    );
    expect(projects).toContain(neighbour.number);
    expect(projects.filter((project) => project === crowd.number)).toHaveLength(5);
    expect(Math.max(...world.queue.map(({ due }) => due))).toBeLessThan(world.now + minuteMs);
    const due = crowd.db.prepare("SELECT count(*) AS n FROM workflows WHERE project_id = ? AND next_tick_at <= ?");
    expect(await due.bind(crowd.id, world.now).first("n")).toBe(0);
    // Nothing is left for the sweeps of other tests.
    for (const table of ["jobs", "workflows"]) {
      await crowd.db.prepare(`DELETE FROM ${table} WHERE project_id = ?`).bind(crowd.id).run();
    }
  });

  it("goes on where it was when its job dies", async () => {
    const world = new World();
    const project = await newProject();
    const ids: string[] = [];
    for (const name of ["a", "b", "c"])
      ids.push((await project.api.post("/contacts", { email: `${name}@example.com` })).body.id);
    const segment = await newSegment(project, { condition: everybody });
    await scheduled(project, "0 * * * *", segment.id, world.now);
    await world.sweep();
    // After the shards have taken them, before the step says so.
    await world.runAndDie({ atStep: 9, when: "before" });
    await world.drain();
    for (const id of ids) expect(await mirrorOf(project, readId(id))).toHaveLength(1);
  });
});

describe("executions that ended long ago", () => {
  it("are forgotten, in their object and in the mirror; who entered is not", async () => {
    const world = new World();
    const project = await newProject();
    await newWorkflow(project, ending);
    const { contactId } = await track(world, project, "signup", { data: { plan: "pro" } });
    await world.drain();
    const [row] = await mirrorOf(project, contactId);
    const address = addressOf(project, contactId);
    world.now += 90 * dayMs - hourMs;
    await world.ring(address);
    expect(await mirrorOf(project, contactId)).toHaveLength(1);
    world.now += 2 * hourMs;
    expect(await world.ring(address)).toBe(true);
    expect(await mirrorOf(project, contactId)).toEqual([]);
    const { workflowShards } = world.process().platform;
    expect(await workflowShards.of(address).get(address, [readId(row?.id ?? "")])).toEqual([]);
    await track(world, project, "signup");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toEqual([]);
  });
});
