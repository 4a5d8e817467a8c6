import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publicId } from "../../src/core/ids";
import { openWorkflowShards } from "../../src/platform/workflow-shards";
import { handleMessage } from "../../src/queue";
import { type FaultName, faultNames } from "../support/database-fault";
import { FaultTally } from "../support/fault-tally";
import { type End, harmOfEnds, type Mishap, playGate, playPace, playShard, playSweeps } from "../support/object-ends";
import { type Reset, resetOnce } from "../support/object-fault";
import { newProject, type TestProject } from "../support/project";
import { sample } from "../support/sample";
import { newContact } from "../support/segment";
import { callWith } from "../support/with-settings";
import { awaitingPurchase, mirrorOf, newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const resets: Reset[] = ["before", "after"];

function callAtReset(
  project: TestProject,
  bindings: object,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) {
  return callWith(bindings, method, path, { token: project.keys.secret, body, headers });
}

describe.each(resets)("a gate that is reset %s its work", (when) => {
  it.each(["admit", "complete"])("lets a request with a key have its effect once: %s", async (method) => {
    const project = await newProject();
    const bindings = { GATE: resetOnce(env.GATE, method, when) };
    const mail = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hi", body: "Hi" };
    const key = { "Idempotency-Key": "order-1" };
    expect((await callAtReset(project, bindings, "POST", "/v1/send", mail, key)).status).toBe(200);
    expect((await callAtReset(project, {}, "POST", "/v1/send", mail, key)).status).toBe(409);
    const found = await project.api.get("/emails");
    expect(found.body.data).toHaveLength(1);
  });

  it("frees the key of a request that had no effect: release", async () => {
    const project = await newProject();
    const bindings = { GATE: resetOnce(env.GATE, "release", when) };
    const mail = { to: "ada@example.com", from: "hello@elsewhere.test", subject: "Hi", body: "Hi" };
    const key = { "Idempotency-Key": "order-1" };
    expect((await callAtReset(project, bindings, "POST", "/v1/send", mail, key)).status).toBe(403);
    const sound = { ...mail, from: `hello@${project.domain}` };
    expect((await callAtReset(project, {}, "POST", "/v1/send", sound, key)).status).toBe(200);
  });
});

describe.each(resets)("a shard of executions that is reset %s its work", (when) => {
  it("starts an execution by hand once", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project, { ...awaitingPurchase(), allowReentry: true });
    const contact = await newContact(project, "ada@example.com");
    const bindings = { WORKFLOWS: resetOnce(env.WORKFLOWS, "start", when) };
    const path = `/workflows/${publicId(id)}/executions`;
    const started = await callAtReset(project, bindings, "POST", path, { contactId: contact.id });
    expect(started.status).toBe(201);
    const listed = await project.api.get(path);
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([started.body.id]);
  });

  it("hears of an event once", async () => {
    const project = await newProject();
    await newWorkflow(project, { ...awaitingPurchase(), allowReentry: true });
    const world = new World();
    const { contactId } = await track(world, project, "signup");
    const shards = openWorkflowShards(resetOnce(env.WORKFLOWS, "deliver", when));
    for (const { queued } of world.queue) {
      await handleMessage({ ...world.process().platform, workflowShards: shards }, queued.message);
    }
    await expect.poll(async () => (await mirrorOf(project, contactId)).length).toBe(1);
  });

  it("answers a cancellation with 503 instead of a guess, and cancels once", async () => {
    const project = await newProject();
    const { id } = await newWorkflow(project, awaitingPurchase());
    const contact = await newContact(project, "ada@example.com");
    const path = `/workflows/${publicId(id)}/executions`;
    const { body } = await project.api.post(path, { contactId: contact.id });
    const bindings = { WORKFLOWS: resetOnce(env.WORKFLOWS, "cancel", when) };
    const lost = await callAtReset(project, bindings, "DELETE", `${path}/${body.id}`);
    expect(lost).toMatchObject({ status: 503, body: { error: { details: { effect: "unknown" } } } });
    const again = await callAtReset(project, {}, "DELETE", `${path}/${body.id}`);
    expect(again.status).toBe(when === "before" ? 200 : 409);
    expect((await project.api.get(`${path}/${body.id}`)).body.status).toBe("CANCELLED");
  });
});

describe("an object, whatever happens to it, comes to the end that it comes to without a fault:", () => {
  const tally = new FaultTally("Objects");

  beforeEach(() => {
    // A batch waits before it runs again.
    vi.spyOn(scheduler, "wait").mockResolvedValue();
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  /** Returns whether the mishap came to pass. A reset by a new version counts as "code updated". */
  async function compare<Ended extends End>(
    name: string,
    good: Ended,
    play: (mishap: Mishap) => Promise<Ended>,
    mishap: NonNullable<Mishap>,
  ): Promise<boolean> {
    const end = await play(mishap);
    if (!end.isMet) return false;
    tally.add(name, "fault" in mishap ? mishap.fault : "code updated", harmOfEnds(good, end));
    const { trips: _, isMet: __, ...wanted } = good;
    expect(end, JSON.stringify(mishap)).toMatchObject(wanted);
    return true;
  }

  /** At each trip a commit whose answer is lost, what is not tried again, and the others in turn. */
  function faultsAt(trip: number): FaultName[] {
    const others = (["connection lost", "storage reset", "code updated"] as const)[trip % 3];
    return ["answer lost", "overloaded", ...(others ? [others] : [])];
  }

  /** At each of its own trips to D1, and reset at each of its steps. A run has a part of them, with each fault. */
  async function walk<Ended extends End>(name: string, play: (mishap: Mishap) => Promise<Ended>): Promise<void> {
    const good = await play(null);
    expect(good.trips).toBeGreaterThan(0);
    const trips = Array.from({ length: good.trips }, (_, before) => before + 1);
    for (const mishap of sample(trips.flatMap((trip) => faultsAt(trip).map((fault) => ({ fault, trip }))))) {
      expect(await compare(name, good, play, mishap), JSON.stringify(mishap)).toBe(true);
    }
    // A fault whose turn never came meets the last trip.
    for (const fault of faultNames) {
      if (!tally.hasMet(name, fault)) await compare(name, good, play, { fault, trip: good.trips });
    }
    // Each trip is a step, and what comes after them is found step by step.
    for (const [index, reset] of resets.entries()) {
      for (const step of sample(trips, { name: "ab".slice(0, index) }))
        expect(await compare(name, good, play, { reset, step }), `${reset} ${step}`).toBe(true);
      let step = good.trips + 1;
      while (await compare(name, good, play, { reset, step })) step += 1;
      expect(step).toBeGreaterThan(good.trips);
    }
  }

  it("WorkflowShardObject", () => walk("WorkflowShardObject", playShard), 240_000);

  it("SweepObject, which rings again", () => walk("SweepObject", playSweeps), 240_000);

  const methods = {
    PaceObject: {
      play: playPace,
      done: 3,
      names: ["askAll", "mayGoOn", "giveBackAll", "addWaiting", "nextTurn", "readUpTo"],
    },
    ProjectGateObject: { play: playGate, done: 2, names: ["admit", "complete", "release"] },
  };

  it.each(Object.entries(methods))("%s, at each of its methods", async (name, { play, done, names }) => {
    const good = await play(null);
    expect(good.effects).toBe(done);
    for (const method of names) {
      for (const reset of resets)
        expect(await compare(name, good, play, { reset, method }), `${method} is called`).toBe(true);
    }
  });

  it("is what the table of docs/faults.md says", () => tally.expectAsDocumented());
});
