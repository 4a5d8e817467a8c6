import { describe, expect, it } from "vitest";
import { intrude } from "../support/intrude";
import { newProject, type TestProject } from "../support/project";
import { addressOf, executionsOf, mirrorOf, track } from "../support/workflow";
import { draw, newStep, newWorkflow, triggerOf } from "../support/workflow-graph";
import { World } from "../support/world";

const hourly = "17 * * * *";

async function listenersOf(project: TestProject): Promise<string[]> {
  const rows = project.db.prepare(
    "SELECT name FROM event_listeners WHERE project_id = ? AND listener_id = 'workflow:wait:' ORDER BY name",
  );
  return (await rows.bind(project.id).all<{ name: string }>()).results.map(({ name }) => name);
}

interface Waiting {
  id: string;
  waitId: string;
}

/** A workflow that waits for an event, and then comes to its end. */
async function newWaiting(project: TestProject, eventName = "purchase"): Promise<Waiting> {
  const workflow = await newWorkflow(project, { allowReentry: true });
  const { id } = workflow;
  const config = { eventName, timeout: 3_600 };
  const { id: waitId } = await newStep(project, id, {
    type: "WAIT_FOR_EVENT",
    config,
    connectFrom: triggerOf(workflow),
  });
  const exit = await newStep(project, id, { type: "EXIT", config: { reason: "bought" } });
  await draw(project, id, [waitId, exit.id, "event"]);
  expect((await project.api.patch(`/workflows/${id}`, { enabled: true })).status).toBe(200);
  return { id, waitId };
}

async function waitFor(project: TestProject, { id, waitId }: Waiting, eventName: string): Promise<void> {
  const config = { eventName, timeout: 3_600 };
  expect((await project.api.patch(`/workflows/${id}/steps/${waitId}`, { config })).status).toBe(200);
}

/** Whether an event of this name is worth a message. */
async function isHeard(world: World, project: TestProject, name: string): Promise<boolean> {
  world.queue = [];
  await track(world, project, name, { email: "somebody@example.com" });
  return world.queue.length > 0;
}

describe("the listener of a wait", () => {
  it("stays while a step names its event, also when nobody waits", async () => {
    const [project, world] = [await newProject(), new World()];
    await newWaiting(project);
    await track(world, project, "signup");
    await world.drain();
    await track(world, project, "purchase");
    await world.drain();
    await world.sweep(hourly);
    expect(await listenersOf(project)).toEqual(["purchase"]);
  });

  it("goes with the last step that names its event: events cost no message any more", async () => {
    const [project, world] = [await newProject(), new World()];
    const [first, second] = [await newWaiting(project), await newWaiting(project)];
    await track(world, project, "signup");
    await world.drain();
    await track(world, project, "purchase");
    await world.drain();
    await waitFor(project, first, "refund");
    expect(await listenersOf(project)).toEqual(["purchase"]);
    expect(await isHeard(world, project, "purchase")).toBe(true);
    expect((await project.api.delete(`/workflows/${second.id}/steps/${second.waitId}`)).status).toBe(204);
    expect(await listenersOf(project)).toEqual([]);
    expect(await isHeard(world, project, "purchase")).toBe(false);
  });

  it("goes with its workflow", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = await newWaiting(project);
    await track(world, project, "signup");
    await world.drain();
    await project.api.post(`/workflows/${id}/executions/cancel-all`, {});
    expect((await project.api.delete(`/workflows/${id}`)).status).toBe(204);
    expect(await listenersOf(project)).toEqual([]);
  });

  it("stays for an execution that waits still, and goes with the sweep after it", async () => {
    const [project, world] = [await newProject(), new World()];
    const workflow = await newWaiting(project);
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    await waitFor(project, workflow, "refund");
    await world.sweep(hourly);
    expect(await listenersOf(project)).toEqual(["purchase"]);
    await track(world, project, "purchase");
    await world.drain();
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "bought" }]);
    expect(await listenersOf(project)).toEqual(["purchase"]);
    await world.sweep(hourly);
    expect(await listenersOf(project)).toEqual([]);
  });

  it("is another project's own", async () => {
    const [project, neighbour, world] = [await newProject(), await newProject(), new World()];
    const [{ id, waitId }] = [await newWaiting(project), await newWaiting(neighbour)];
    for (const each of [project, neighbour]) await track(world, each, "signup");
    await world.drain();
    await project.api.post(`/workflows/${id}/executions/cancel-all`, {});
    await project.api.delete(`/workflows/${id}/steps/${waitId}`);
    await world.sweep(hourly);
    expect([await listenersOf(project), await listenersOf(neighbour)]).toEqual([[], ["purchase"]]);
  });

  it("is found by a sweep that goes page by page", async () => {
    const [project, world] = [await newProject(), new World()];
    await project.db
      .prepare(
        `INSERT INTO event_listeners (project_id, name, listener_id)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
          SELECT ?1, 'old ' || i, iif(i % 2, 'webhook:w', 'workflow:wait:') FROM n`,
      )
      .bind(project.id)
      .run();
    await world.sweep(hourly);
    expect(await listenersOf(project)).toEqual([]);
    const others = project.db.prepare("SELECT count(*) AS n FROM event_listeners WHERE project_id = ?");
    expect(await others.bind(project.id).first("n")).toBe(350);
  });
});

describe("a wait that is entered while its step changes and the sweep comes", () => {
  it("never loses its event, whatever comes between two of its steps", async () => {
    let intrusions = 0;
    for (let atStep = 1; ; atStep++) {
      const [project, world] = [await newProject(), new World()];
      const workflow = await newWaiting(project);
      const { contactId } = await track(world, project, "signup");
      const { hasHappened } = intrude(world, atStep, async () => {
        await waitFor(project, workflow, "refund");
        await world.sweep(hourly);
      });
      await world.drain();
      if (!hasHappened()) break;
      intrusions++;
      const [{ awaits } = { awaits: null }] = await mirrorOf(project, contactId);
      expect(["purchase", "refund"], `intruded before step ${atStep}`).toContain(awaits);
      expect(await listenersOf(project)).toEqual([awaits]);
      world.shardPlatform = () => world.process().platform;
      world.now += 1_000;
      await track(world, project, awaits ?? "");
      await world.drain();
      const [execution] = await executionsOf(world, project, contactId);
      expect(execution, `intruded before step ${atStep}`).toMatchObject({ exitReason: "bought" });
      await world.sweep(hourly);
      expect(await listenersOf(project)).toEqual(awaits === "refund" ? ["refund"] : []);
    }
    // The graph is read, and the batch of the wait is written.
    expect(intrusions).toBeGreaterThan(1);
  });

  it("finds its row again when it dies after the sweep", async () => {
    const [project, world] = [await newProject(), new World()];
    const workflow = await newWaiting(project);
    const { contactId } = await track(world, project, "signup");
    // The object has noted that it waits, and dies before its batch.
    const { platform, process } = world.process();
    const batches = () => process.steps.filter((name) => name === "batch").length;
    const step = process.step.bind(process);
    process.step = async (name, effect) => {
      if (name === "batch" && batches() === 1) process.die();
      return step(name, effect);
    };
    world.shardPlatform = () => platform;
    await world.drain();
    expect(await listenersOf(project)).toEqual([]);
    await waitFor(project, workflow, "refund");
    await world.sweep(hourly);
    await track(world, project, "purchase");
    world.shardPlatform = () => world.process().platform;
    world.now += 10_000;
    await world.ring(addressOf(project, contactId));
    expect(await mirrorOf(project, contactId)).toMatchObject([{ status: "EXITED", exit_reason: "bought" }]);
  });
});
