import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runSweeps } from "../../src/cron";
import { webhook } from "../../src/engine/workflows/steps/webhook";
import { arrivalAt, newStep } from "../support/arrivals";
import { intruded } from "../support/intrude";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { newContact } from "../support/segment";
import { newHost } from "../support/webhook";
import { newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const nightly = "41 3 * * *";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function hostsOf({ db, number }: TestProject): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT host FROM workflow_hosts WHERE project_id = ? ORDER BY host")
    .bind(number)
    .all<{ host: string }>();
  return results.map(({ host }) => host);
}

async function calling(world: World, project: TestProject, host: string) {
  const { id } = await newContact(project, "ada@example.com");
  const step = newStep("WEBHOOK", { url: `https://${host}/hook`, method: "POST" });
  const call = async () => webhook.run((await world.context(project)).ctx, [arrivalAt(step, id)]);
  return { call };
}

describe("the row of a host that a workflow has called", () => {
  it("goes in the night after its last call", async () => {
    const [project, world] = [await newProject(), new World()];
    const host = newHost(world);
    outside.play(host, () => new Response("{}"));
    await newWorkflow(project, {
      steps: { call: ["WEBHOOK", { url: `https://${host}/hook`, method: "POST" }] },
      ways: [["TRIGGER", "call"]],
    });
    await track(world, project, "signup");
    await world.drain();
    expect(outside.callsTo(host)).toHaveLength(1);
    expect(await hostsOf(project)).toEqual([host]);
    await world.sweep(nightly);
    expect(await hostsOf(project)).toEqual([]);
  });

  it("stays while a call waits, and while the host is put off", async () => {
    const [project, world] = [await newProject(), new World()];
    const host = newHost(world);
    const { call } = await calling(world, project, host);
    await call();
    const put = "INSERT INTO workflow_hosts (project_id, host, put_off_until) VALUES (?, 'slow.test', ?)";
    await project.db
      .prepare(put)
      .bind(project.number, world.now + 60_000)
      .run();
    // As if a batch had died that says when the next call is due, which none can.
    await project.db.prepare("UPDATE workflow_hosts SET due_at = NULL WHERE project_id = ?").bind(project.number).run();
    await world.sweep(nightly);
    expect(await hostsOf(project)).toEqual([host, "slow.test"].sort());
    world.now += 120_000;
    await world.sweep(nightly);
    expect(await hostsOf(project)).toEqual([host]);
  });

  it("is there for a call that is stored while the sweep goes, whatever comes between two of its steps", async () => {
    let intrusions = 0;
    for (let atStep = 1; ; atStep++) {
      const [project, world] = [await newProject(), new World()];
      const host = newHost(world);
      const { call } = await calling(world, project, host);
      await project.db
        .prepare("INSERT INTO workflow_hosts (project_id, host) VALUES (?, ?)")
        .bind(project.number, host)
        .run();
      const { hasHappened, platform } = intruded(world, atStep, async () => void (await call()));
      await runSweeps(platform, nightly);
      if (!hasHappened()) break;
      intrusions++;
      const due = project.db.prepare("SELECT due_at FROM workflow_hosts WHERE project_id = ? AND host = ?");
      expect(await due.bind(project.number, host).first("due_at"), `called before step ${atStep}`).not.toBeNull();
    }
    expect(intrusions).toBeGreaterThan(1);
  });

  it("is found page by page, and a neighbour's waiting calls are none of it", async () => {
    const [project, neighbour, world] = [await newProject(), await newProject(), new World()];
    const host = newHost(world);
    await (await calling(world, neighbour, host)).call();
    await project.db
      .prepare(
        `INSERT INTO workflow_hosts (project_id, host)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700) SELECT ?, 'h' || i FROM n`,
      )
      .bind(project.number)
      .run();
    await world.sweep(nightly);
    expect([await hostsOf(project), await hostsOf(neighbour)]).toEqual([[], [host]]);
  });
});
