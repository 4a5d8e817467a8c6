import { describe, expect, it } from "vitest";
import type { FilterCondition } from "../../src/core/audience/condition";
import { belowAllIds, publicId, readId } from "../../src/core/ids";
import { maxEvaluatedPerStatement } from "../../src/db/limits";
import type { SegmentRow } from "../../src/db/tables";
import { getJob } from "../../src/engine/jobs/job";
import { computeSegment } from "../../src/features/segments/compute";
import { computeStep } from "../../src/features/segments/compute-step";
import { countSegment, refreshCount } from "../../src/features/segments/count";
import { deleteSegment } from "../../src/features/segments/delete";
import { updateSegment } from "../../src/features/segments/update";
import type { Context } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import { storedId } from "../support/as-seen";
import { type Death, wasKilled } from "../support/killable";
import { addContacts, ledgerOf, memberRows, segmentRow, setPlan } from "../support/membership";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { isPro, newSegment, only } from "../support/segment";
import { emptyTrash } from "../support/trash";
import { World } from "../support/world";

const minuteMs = 60_000;

/** Who is pro, asked at such length that one statement asks few contacts. */
const atLength: FilterCondition = {
  logic: "AND",
  groups: [...isPro.groups, ...Array.from({ length: 10 }, (_, n) => only(`never-${n}`, "notTriggered").groups).flat()],
};
const perLook = maxEvaluatedPerStatement({ filters: 11, lookups: 10 });
const prosPerLook = Math.floor(perLook / 2);

/** More steps than either call takes. What dies after one is as what dies before the next. */
const deaths: Death[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((atStep) => ({ atStep, when: "before" }));

async function compute(world: World, project: TestProject, segment: { id: string }, death?: Death) {
  const { ctx } = await world.context(project, death);
  const computed = await computeSegment(ctx, await segmentRow(world, project, segment));
  return "jobId" in computed ? { jobId: publicId(computed.jobId) } : computed;
}

async function update(world: World, project: TestProject, { id }: { id: string }, change: object, death?: Death) {
  const { ctx } = await world.context(project, death);
  return updateSegment(ctx, readId(id), change);
}

async function track(project: TestProject, email: string, event: string): Promise<void> {
  expect((await call("POST", "/v1/track", { email, event }, bearer(project.keys.public))).status).toBe(200);
}

async function orKilled(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!wasKilled(error)) throw error;
  });
}

/** The tick that looks at segments; what other tests' projects have due is none of the queue's business here. */
async function tick(world: World, project: TestProject, minutes = 5): Promise<string[]> {
  world.now += minutes * minuteMs;
  await world.sweep("*/5 * * * *");
  world.queue = world.queue.filter(
    ({ queued }) => "projectId" in queued.message && queued.message.projectId === project.number,
  );
  return world.queue.map(({ queued }) => queued.message.type);
}

/** The sweep under lost jobs, and the one over segments. */
async function recover(world: World, project: TestProject): Promise<void> {
  world.now += 5 * minuteMs;
  await world.sweep();
  await tick(world, project, 1);
  await world.drain();
}

async function openJobs(project: TestProject): Promise<unknown[]> {
  const { results } = await project.db
    .prepare("SELECT type, status FROM jobs WHERE project_id = ?")
    .bind(project.id)
    .all();
  return results;
}

describe("the members of a tracked segment", () => {
  it("come and go with events, from the first sweep on, and nothing is done while nothing happens", async () => {
    const [project, world] = [await newProject(), new World()];
    for (const [email, plan] of Object.entries({ "ada@example.com": "pro", "bob@example.com": "free" })) {
      await setPlan(project, email, plan);
    }
    const segment = await newSegment(project, { name: "Pro plan", condition: isPro, trackMembership: true });
    expect([segment.memberCount, await memberRows(project, segment), await eventCounts(project)]).toEqual([1, [], {}]);

    expect(await tick(world, project)).toEqual(["segments.compute"]);
    await world.drain();
    expect(await memberRows(project, segment)).toEqual(["ada@example.com"]);
    const events = (await project.api.get("/events?name=segment.pro-plan.entry")).body.data;
    const data = { segmentId: segment.id, segmentName: "Pro plan" };
    expect(events).toEqual([expect.objectContaining({ contactEmail: "ada@example.com", data })]);
    // Its condition does not read the events of who came and went, nor any other.
    await track(project, "bob@example.com", "login");
    for (const minutes of [5, 5, 60]) expect(await tick(world, project, minutes)).toEqual([]);
    expect(await openJobs(project)).toEqual([]);

    await setPlan(project, "bob@example.com", "pro");
    expect(await compute(world, project, segment)).toEqual({ added: 1, removed: 0, total: 2 });
    await setPlan(project, "ada@example.com", "free");
    expect(await tick(world, project)).toEqual(["segments.compute"]);
    // A call that joins the sweep's computation has its result, and its job stays to be asked for.
    expect(await compute(world, project, segment)).toEqual({ added: 0, removed: 1, total: 1 });
    expect(await compute(world, project, segment)).toEqual({ added: 0, removed: 0, total: 1 });
    await world.drain();
    expect(await memberRows(project, segment)).toEqual(["bob@example.com"]);
    expect(await ledgerOf(project, segment)).toEqual({ members: 1, entries: 2, exits: 1, wrong: 0 });
    expect((await segmentRow(world, project, segment)).memberCount).toBe(1);

    // Another condition tells its difference; without tracking nobody is told of anything.
    await update(world, project, segment, { condition: only("data.plan", "equals", "free") });
    await tick(world, project);
    await world.drain();
    expect(await memberRows(project, segment)).toEqual(["ada@example.com"]);
    const told = { members: 1, entries: 3, exits: 2, wrong: 0 };
    expect(await ledgerOf(project, segment)).toEqual(told);
    await update(world, project, segment, { trackMembership: false });
    await setPlan(project, "bob@example.com", "free");
    expect(await tick(world, project, 20)).toEqual(["segments.count"]);
    await world.drain();
    expect((await segmentRow(world, project, segment)).memberCount).toBe(2);
    expect(await ledgerOf(project, segment)).toEqual(told);
    await expect(compute(world, project, segment)).rejects.toThrow("Only a tracked DYNAMIC segment");
    await update(world, project, segment, { trackMembership: true });
    expect(await memberRows(project, segment)).toEqual(["ada@example.com", "bob@example.com"]);
    await tick(world, project);
    await world.drain();
    expect(await ledgerOf(project, segment)).toMatchObject({ entries: 3, exits: 2 });

    // Who is deleted leaves without a word, and so do all when the segment is.
    await project.api.delete("/contacts/ada@example.com");
    const { ctx } = await world.context(project);
    await deleteSegment(ctx, readId(segment.id));
    await tick(world, project);
    await world.drain();
    const counts = await eventCounts(project);
    expect([counts["segment.pro-plan.entry"], counts["segment.pro-plan.exit"]]).toEqual([3, 2]);
  });

  it("come by an event that the condition names, and no other event has it computed", async () => {
    const [project, world] = [await newProject(), new World()];
    await setPlan(project, "ada@example.com", "pro");
    const condition = only("purchase", "triggered");
    const segment = await newSegment(project, { name: "buyers", condition, trackMembership: true });
    await tick(world, project);
    await world.drain();
    await track(project, "ada@example.com", "login");
    expect(await tick(world, project)).toEqual([]);
    for (const _ of ["the first of that name", "another"]) {
      await track(project, "ada@example.com", "purchase");
      expect(await tick(world, project)).toEqual(["segments.compute"]);
      await world.drain();
    }
    expect(await ledgerOf(project, segment)).toEqual({ members: 1, entries: 1, exits: 0, wrong: 0 });
    // An event that is deleted counts as well.
    await project.db.prepare("DELETE FROM events WHERE project_id = ? AND name = 'purchase'").bind(project.id).run();
    expect(await tick(world, project)).toEqual(["segments.compute"]);
    await world.drain();
    expect(await memberRows(project, segment)).toEqual([]);
  });

  it("leave when time has passed, though nothing happens, also by way of another segment", async () => {
    const [project, world] = [await newProject(), new World()];
    const [inner, windows] = [
      await newSegment(project, { name: "inner", condition: only("login", "triggeredWithin", 1, "hours") }),
      only("login", "notTriggeredWithin", 1, "hours"),
    ];
    const active = await newSegment(project, {
      name: "active",
      condition: only(`segment.${inner.id}`, "memberOfSegment"),
      trackMembership: true,
    });
    const idle = await newSegment(project, { name: "idle", condition: windows, trackMembership: true });
    await track(project, "ada@example.com", "login");
    world.now = Date.now();
    await tick(world, project, 1);
    await world.drain();
    expect([await memberRows(project, active), await memberRows(project, idle)]).toEqual([["ada@example.com"], []]);
    expect(await tick(world, project, 30)).toEqual(["segments.compute", "segments.compute", "segments.count"]);
    await world.drain();
    expect(await ledgerOf(project, active)).toEqual({ members: 1, entries: 1, exits: 0, wrong: 0 });
    await tick(world, project, 30);
    await world.drain();
    expect(await ledgerOf(project, active)).toEqual({ members: 0, entries: 1, exits: 1, wrong: 0 });
    expect(await ledgerOf(project, idle)).toEqual({ members: 1, entries: 1, exits: 0, wrong: 0 });
    expect((await segmentRow(world, project, inner)).memberCount).toBe(0);
  });

  it("enter once, however many calls compute at the same time", async () => {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 20);
    const segment = await newSegment(project, { name: "pro", condition: isPro, trackMembership: true });
    await tick(world, project);
    const [message] = world.queue.splice(0);
    if (!message) throw new Error("Nothing was queued");
    const run = () => handleMessage(world.process().platform, message.queued.message);
    const calls = Array.from({ length: 16 }, () => compute(world, project, segment));
    const [answers] = await Promise.all([Promise.all(calls), run(), run()]);
    for (const answer of answers) expect(answer).toMatchObject({ removed: 0, total: 10 });
    // Those that joined it say what it did; to those that came later there was nothing left to do.
    for (const answer of answers) expect([0, 10]).toContain("added" in answer ? answer.added : answer);
    expect(await ledgerOf(project, segment)).toEqual({ members: 10, entries: 10, exits: 0, wrong: 0 });
  });

  it("are as they were when the call came, also when it joins a computation that has passed them", async () => {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 6_000);
    const segment = await newSegment(project, { name: "pro", condition: atLength, trackMembership: true });
    // Starts, finds the project, takes the job, begins, looks, finds members, writes five batches; and dies.
    await orKilled(compute(world, project, segment, { atStep: 12, when: "before" }));
    expect(await ledgerOf(project, segment)).toMatchObject({ members: prosPerLook });
    await setPlan(project, "c1@example.com", "pro");
    // It follows the same job, and is told what that did in both passes.
    expect(await compute(world, project, segment)).toEqual({ added: 3_001, removed: 0, total: 3_001 });
    expect(await ledgerOf(project, segment)).toEqual({ members: 3_001, entries: 3_001, exits: 0, wrong: 0 });
  });

  it("come when only the time of their last change says so", async () => {
    const [project, world] = [await newProject(), new World()];
    const { body: ada } = await project.api.post("/contacts", { email: "ada@example.com" });
    const { body: snoozed } = await project.api.post(`/contacts/${ada.id}/snooze`, { duration: "1m" });
    const condition = only("updatedAt", "greaterThan", snoozed.updatedAt);
    const segment = await newSegment(project, { name: "lately", condition, trackMembership: true });
    world.now = Date.now();
    await tick(world, project, 0);
    await world.drain();
    expect(await memberRows(project, segment)).toEqual([]);
    while (Date.now() <= Date.parse(snoozed.updatedAt)) await project.api.get("/segments");
    await project.api.post("/suppressions", { email: "ada@example.com" });
    await tick(world, project);
    await world.drain();
    expect(await memberRows(project, segment)).toEqual(["ada@example.com"]);
  });

  it("are right when the call dies at any step, and each change is told once", async () => {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 2);
    const segment = await newSegment(project, { name: "pro", condition: isPro, trackMembership: true });
    for (const [index, death] of deaths.entries()) {
      await setPlan(project, "c1@example.com", index % 2 === 0 ? "pro" : "free");
      await orKilled(compute(world, project, segment, death));
      await recover(world, project);
      const isIn = index % 2 === 0;
      const expected = {
        members: isIn ? 2 : 1,
        entries: 2 + Math.floor(index / 2),
        exits: Math.ceil(index / 2),
        wrong: 0,
      };
      expect(await ledgerOf(project, segment), `${death.when} step ${death.atStep}`).toEqual(expected);
    }
  });

  it("are taken without events when tracking is switched on, also when that call dies at any step", async () => {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 4);
    const segment = await newSegment(project, { name: "pro", condition: isPro });
    for (const [index, death] of deaths.entries()) {
      await setPlan(project, "c1@example.com", index % 2 === 0 ? "pro" : "free");
      await orKilled(update(world, project, segment, { trackMembership: true }, death));
      await recover(world, project);
      const { trackMembership } = await segmentRow(world, project, segment);
      const members = await memberRows(project, segment);
      if (trackMembership) expect(members, `${death.when} step ${death.atStep}`).toHaveLength(index % 2 === 0 ? 3 : 2);
      await update(world, project, segment, { trackMembership: false });
    }
    expect(await ledgerOf(project, segment)).toMatchObject({ entries: 0, exits: 0 });
  });

  it("are not told by a step that was read before tracking ended and began again", async () => {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 4);
    const segment = await newSegment(project, { name: "pro", trackMembership: true });
    // Starts, finds the project, takes the job; and dies on its way to the segment.
    await orKilled(compute(world, project, segment, { atStep: 4, when: "before" }));
    const { ctx } = await world.context(project);
    const row = await getJob(ctx, (await segmentRow(world, project, segment)).computeJobId ?? belowAllIds);
    await update(world, project, segment, { trackMembership: false });
    await orKilled(update(world, project, segment, { trackMembership: true }, { atStep: 3, when: "before" }));
    await expect(computeStep(ctx, row)).rejects.toMatchObject({ name: "MovedOn" });
    await recover(world, project);
    expect(await ledgerOf(project, segment)).toMatchObject({ members: 2, entries: 0, exits: 0 });
  });
});

describe("the members of a tracked segment of a large project", () => {
  const contacts = 12_000;

  async function start(condition = atLength): Promise<{
    project: TestProject;
    world: World;
    segment: { id: string; slug: string };
    jobId: string;
  }> {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, contacts);
    const segment = await newSegment(project, { name: "pro", condition, trackMembership: true });
    const started = await compute(world, project, segment);
    return { project, world, segment, jobId: "jobId" in started ? started.jobId : "at once" };
  }

  /** Finds the project, takes the job, begins, looks, finds members; then it changes the first contacts in five batches. */
  const afterOneBatch: Death = { atStep: 7, when: "before" };
  const afterOneStep: Death = { atStep: 11, when: "before" };

  it("are computed by a job that is killed again and again, each told once", async () => {
    const { project, world, segment, jobId } = await start();
    const again = await compute(world, project, segment);
    expect(again).toEqual({ jobId });
    for (let attempt = 0; world.queue.length > 0 && attempt < 200; attempt++) {
      await world.runAndDie({ atStep: 1 + (attempt % 9), when: attempt % 2 ? "before" : "after" });
    }
    expect(world.queue).toEqual([]);
    expect(await ledgerOf(project, segment)).toEqual({ members: 6_000, entries: 6_000, exits: 0, wrong: 0 });
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      type: "segments.compute",
      status: "completed",
      progress: 100,
      result: { added: 6_000, removed: 0, total: 6_000 },
    });
    expect((await segmentRow(world, project, segment)).memberCount).toBe(6_000);
  });

  it("come in more batches than one step writes, and rows of nobody go", async () => {
    const { project, world, segment, jobId } = await start(isPro);
    await project.db
      .prepare("INSERT INTO segment_members VALUES (?, ?, '!nobody', 0)")
      .bind(project.id, segment.id)
      .run();
    // Finds the project, takes the job, begins, looks, finds members, writes ten batches.
    await world.runAndDie({ atStep: 16, when: "before" });
    expect(await ledgerOf(project, segment)).toMatchObject({ members: 3_001, entries: 3_000 });
    await world.drain();
    expect(await ledgerOf(project, segment)).toEqual({ members: 6_000, entries: 6_000, exits: 0, wrong: 0 });
    const { result } = (await project.api.get(`/jobs/${jobId}`)).body;
    expect(result).toEqual({ added: 6_000, removed: 0, total: 6_000 });
  });

  it("are computed once by two runs at the same time, also with a lost message", async () => {
    const { project, world, segment, jobId } = await start();
    const [message] = world.queue.splice(0);
    if (!message) throw new Error("Nothing was queued");
    const run = () => handleMessage(world.process().platform, message.queued.message);
    expect(await compute(world, project, segment)).toEqual({ jobId });
    await Promise.all([run(), run(), run()]);
    await recover(world, project);
    expect(await ledgerOf(project, segment)).toEqual({ members: 6_000, entries: 6_000, exits: 0, wrong: 0 });
    const { result } = (await project.api.get(`/jobs/${jobId}`)).body;
    expect(result).toEqual({ added: 6_000, removed: 0, total: 6_000 });
  });

  it("come although they changed behind a computation under way, when somebody asks again", async () => {
    const { project, world, segment, jobId } = await start();
    await world.runAndDie(afterOneStep);
    await setPlan(project, "c1@example.com", "pro");
    expect(await compute(world, project, segment)).toEqual({ jobId });
    expect(await compute(world, project, segment)).toEqual({ jobId });
    await world.drain();
    expect(await ledgerOf(project, segment)).toEqual({ members: 6_001, entries: 6_001, exits: 0, wrong: 0 });
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      status: "completed",
      progress: 100,
      result: { added: 6_001, removed: 0, total: 6_001 },
    });
    expect(await openJobs(project)).toHaveLength(1);
  });

  it("are those of the new condition when it changes on the way", async () => {
    const { project, world, segment, jobId } = await start();
    await world.runAndDie(afterOneStep);
    expect(await ledgerOf(project, segment)).toEqual({
      members: prosPerLook,
      entries: prosPerLook,
      exits: 0,
      wrong: 0,
    });
    const { progress, status } = (await project.api.get(`/jobs/${jobId}`)).body;
    expect([status, progress]).toEqual(["processing", Math.floor((100 * perLook) / contacts)]);
    await update(world, project, segment, { name: "Few", condition: only("data.n", "lessThanOrEqual", 4) });
    await world.drain();
    expect(await memberRows(project, segment)).toEqual(["c1", "c2", "c3", "c4"].map((name) => `${name}@example.com`));
    expect(await ledgerOf(project, segment)).toEqual({
      members: 4,
      entries: prosPerLook + 2,
      exits: prosPerLook - 2,
      wrong: 0,
    });
    const { result } = (await project.api.get(`/jobs/${jobId}`)).body;
    expect(result).toEqual({ added: prosPerLook + 2, removed: prosPerLook - 2, total: 4 });
  });

  it("stay as they are when tracking ends on the way, and the others come silently when it begins again", async () => {
    const { project, world, segment, jobId } = await start();
    await world.runAndDie(afterOneStep);
    await update(world, project, segment, { trackMembership: false });
    await update(world, project, segment, { trackMembership: true });
    // Nobody moves in the first step, and it dies in the second, when it has looked.
    await world.runAndDie({ atStep: 9, when: "before" });
    await update(world, project, segment, { trackMembership: false });
    await world.drain();
    const told = { members: prosPerLook, entries: prosPerLook, exits: 0, wrong: 0 };
    expect(await ledgerOf(project, segment)).toEqual(told);
    expect((await project.api.get(`/jobs/${jobId}`)).body.status).toBe("completed");
    await update(world, project, segment, { trackMembership: true });
    await world.drain();
    expect(await ledgerOf(project, segment)).toEqual({ ...told, members: 6_000, wrong: 6_000 - prosPerLook });
  });

  it("end with their segment", async () => {
    const { project, world, segment, jobId } = await start();
    await world.runAndDie(afterOneBatch);
    await deleteSegment((await world.context(project)).ctx, readId(segment.id));
    await world.drain();
    expect((await project.api.get(`/jobs/${jobId}`)).body.status).toBe("completed");
    expect(await eventCounts(project)).toEqual({ "segment.pro.entry": 300 });
    await emptyTrash(world, project);
    await world.drain();
    const left = await project.db
      .prepare("SELECT count(*) AS n FROM segment_members WHERE segment_id = ?")
      .bind(segment.id)
      .first();
    expect(left).toEqual({ n: 0 });
  });
});

describe("the count of a segment's members", () => {
  it("is made at once up to 25,000 contacts, and by a job above; and again only when something has changed", async () => {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 25_000);
    const segment = await newSegment(project, { name: "pro", condition: isPro });
    expect([segment.memberCount, world.queue]).toEqual([12_500, []]);
    for (const minutes of [5, 15]) expect(await tick(world, project, minutes)).toEqual([]);

    await addContacts(project, 25_001, 25_003);
    const counted = async (verb: (ctx: Context, row: SegmentRow) => Promise<unknown>) =>
      verb((await world.context(project)).ctx, await segmentRow(world, project, segment));
    expect(await counted(countSegment)).toEqual({ jobId: `count-${storedId(segment.id)}` });
    expect(await counted(countSegment)).toEqual({ jobId: `count-${storedId(segment.id)}` });
    await world.runAndDie({ atStep: 6, when: "before" });
    const changed = { condition: only("data.plan", "equals", "free") };
    await update(world, project, segment, changed);
    await world.drain();
    const { memberCount, countedAt } = await segmentRow(world, project, segment);
    expect([memberCount, countedAt, await openJobs(project)]).toEqual([12_502, world.now, []]);

    expect(await tick(world, project, 20)).toEqual([]);
    await setPlan(project, "c1@example.com", "pro");
    expect(await counted(refreshCount)).toBe(12_501);
    expect(await tick(world, project, 20)).toEqual([]);
    await setPlan(project, "c3@example.com", "pro");
    expect(await tick(world, project, 20)).toEqual(["segments.count"]);
    for (let attempt = 0; world.queue.length > 0 && attempt < 100; attempt++) {
      await world.runAndDie({ atStep: 1 + (attempt % 7), when: attempt % 2 ? "before" : "after" });
    }
    expect((await segmentRow(world, project, segment)).memberCount).toBe(12_500);
    expect([await openJobs(project), await eventCounts(project), await memberRows(project, segment)]).toEqual([
      [],
      {},
      [],
    ]);
  });
});
