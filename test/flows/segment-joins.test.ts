import { describe, expect, it } from "vitest";
import type { FilterCondition } from "../../src/core/audience/condition";
import { BadRequest, NotFound } from "../../src/core/errors";
import { belowAllIds, publicId, readId } from "../../src/core/ids";
import type { JobRow } from "../../src/db/tables";
import { getJob } from "../../src/engine/jobs/job";
import { workOn } from "../../src/engine/jobs/work";
import { computeSegment } from "../../src/features/segments/compute";
import { computeStep } from "../../src/features/segments/compute-step";
import { deleteSegment } from "../../src/features/segments/delete";
import { updateSegment } from "../../src/features/segments/update";
import { forProject } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import { wasKilled } from "../support/killable";
import { addContacts, ledgerOf, memberRows, segmentRow, setPlan } from "../support/membership";
import { newProject, type TestProject } from "../support/project";
import { addMembers, isPro, newSegment, only } from "../support/segment";
import { World } from "../support/world";

/** The condition, asked at such length that one step goes past some 280 contacts. */
function atLength({ groups }: FilterCondition): FilterCondition {
  const others = Array.from({ length: 98 }, (_, n) => only(`never-${n}`, "notTriggered").groups).flat();
  return { logic: "AND", groups: [...groups, ...others] };
}

async function tick(world: World, project: TestProject): Promise<void> {
  world.now += 5 * 60_000;
  await world.sweep("*/5 * * * *");
  world.queue = world.queue.filter(
    ({ queued }) => "projectId" in queued.message && queued.message.projectId === project.number,
  );
}

async function activeJob(world: World, project: TestProject, segment: { id: string }): Promise<JobRow> {
  const { ctx } = await world.context(project);
  return getJob(ctx, (await segmentRow(world, project, segment)).computeJobId ?? belowAllIds);
}

/** One step of what goes on, so that the first contacts are passed. */
async function passTheFirst(world: World, project: TestProject, segment: { id: string }): Promise<void> {
  const { id } = await activeJob(world, project, segment);
  const job = { type: "segments.compute" as const, projectId: project.number, jobId: id };
  await workOn(world.process().platform, job, computeStep, { stepsPerRun: 1 });
}

async function compute(world: World, project: TestProject, segment: { id: string }) {
  const { ctx } = await world.context(project);
  return computeSegment(ctx, await segmentRow(world, project, segment));
}

describe("a call that finds a computation under way", () => {
  async function start(condition: FilterCondition) {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 700);
    const list = await newSegment(project, { name: "list", type: "STATIC" });
    const inner = await newSegment(project, { name: "inner", condition: only("data.n", "equals", 600) });
    const named = JSON.parse(JSON.stringify(condition).replace("<list>", list.id).replace("<inner>", inner.id));
    const segment = await newSegment(project, { condition: atLength(named), trackMembership: true });
    await tick(world, project);
    await passTheFirst(world, project, segment);
    return { project, world, list, inner, segment };
  }

  it("hears of a member who came to a list when it was passed", async () => {
    const { project, world, list, segment } = await start(only("segment.<list>", "memberOfSegment"));
    await addMembers(project, list.id, { emails: ["c5@example.com"] });
    expect(await compute(world, project, segment)).toEqual({ added: 1, removed: 0, total: 1 });
    expect(await memberRows(project, segment)).toEqual(["c5@example.com"]);
  });

  it("hears of another condition of a segment that is named", async () => {
    const { project, world, inner, segment } = await start(only("segment.<inner>", "memberOfSegment"));
    const { ctx } = await world.context(project);
    await updateSegment(ctx, readId(inner.id), { condition: only("data.n", "equals", 10) });
    expect(await compute(world, project, segment)).toMatchObject({ total: 1 });
    expect(await memberRows(project, segment)).toEqual(["c10@example.com"]);
  });

  it("joins it while nothing can have changed", async () => {
    const { project, world, segment } = await start(only("data.n", "greaterThan", 600));
    const { id } = await activeJob(world, project, segment);
    expect(await compute(world, project, segment)).toEqual({ added: 100, removed: 0, total: 100 });
    const { results } = await project.db.prepare("SELECT id FROM jobs WHERE project_id = ?").bind(project.id).all();
    expect(results).toEqual([{ id: publicId(id) }]);
  });
});

describe("a call that needs a pass of its own", () => {
  /** Asks for a computation, and dies before it works on it. */
  async function wish(world: World, project: TestProject, segment: { id: string }): Promise<void> {
    const { ctx } = await world.context(project, { atStep: 1, when: "after" });
    await computeSegment(ctx, await segmentRow(world, project, segment)).catch((error) => {
      if (!wasKilled(error)) throw error;
    });
  }

  async function start() {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 700);
    const segment = await newSegment(project, { condition: atLength(isPro), trackMembership: true });
    await tick(world, project);
    await passTheFirst(world, project, segment);
    return { project, world, segment, jobId: publicId((await activeJob(world, project, segment)).id) };
  }

  it("shares it with all that come during the same one", async () => {
    const { project, world, segment, jobId } = await start();
    for (const name of ["c1", "c3", "c5"]) {
      await setPlan(project, `${name}@example.com`, "pro");
      await wish(world, project, segment);
    }
    expect(await activeJob(world, project, segment)).toMatchObject({ generation: 4 });
    await world.drain();
    const begun = world.statements.filter(({ sql }) => /SELECT \*, .* AS fresh/s.test(sql));
    expect(begun).toHaveLength(2);
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      status: "completed",
      progress: 100,
      result: { added: 353, removed: 0, total: 353 },
    });
    expect(await ledgerOf(project, segment)).toEqual({ members: 353, entries: 353, exits: 0, wrong: 0 });
    expect((await segmentRow(world, project, segment)).computeJobId).toBeNull();
  });

  it("is answered when that ends, whoever wants another one by then", async () => {
    const { project, world, segment, jobId } = await start();
    await setPlan(project, "c1@example.com", "pro");
    const { ctx, process } = await world.context(project);
    const row = await segmentRow(world, project, segment);
    const step = process.step.bind(process);
    let isFirst = true;
    process.step = async (name, effect) => {
      const { state } = await activeJob(world, project, segment);
      if (isFirst && state.done === 1 && state.scan !== null) {
        isFirst = false;
        await setPlan(project, "c3@example.com", "pro");
        await wish(world, project, segment);
      }
      return step(name, effect);
    };
    expect(await computeSegment(ctx, row)).toEqual({ added: 351, removed: 0, total: 351 });
    // Who follows the job sees that it goes on, and what it has done so far.
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      status: "processing",
      progress: 0,
      result: { added: 351, removed: 0, total: 351 },
      completedAt: null,
    });
    // The other one is dead: the sweep finds what it wanted.
    await passTheFirst(world, project, segment);
    expect((await project.api.get(`/jobs/${jobId}`)).body.result).toEqual({ added: 352, removed: 0, total: 351 });
    world.now += 5 * 60_000;
    await world.sweep();
    await world.drain();
    const { status, result } = (await project.api.get(`/jobs/${jobId}`)).body;
    expect([status, result]).toEqual(["completed", { added: 352, removed: 0, total: 352 }]);
    expect(await ledgerOf(project, segment)).toEqual({ members: 352, entries: 352, exits: 0, wrong: 0 });
  });

  it("has it, wherever runs die on the way", async () => {
    const { project, world, segment, jobId } = await start();
    for (let attempt = 0; world.queue.length > 0 && attempt < 150; attempt++) {
      if (attempt % 3 === 1 && attempt < 12) {
        await setPlan(project, `c${2 * attempt + 1}@example.com`, "pro");
        await wish(world, project, segment);
      }
      await world.runAndDie({ atStep: 1 + (attempt % 8), when: attempt % 2 ? "before" : "after" });
    }
    expect(world.queue).toEqual([]);
    const { results } = await project.db.prepare("SELECT id FROM jobs WHERE project_id = ?").bind(project.id).all();
    expect(results).toEqual([{ id: jobId }]);
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      status: "completed",
      result: { added: 354, removed: 0, total: 354 },
    });
    expect(await ledgerOf(project, segment)).toEqual({ members: 354, entries: 354, exits: 0, wrong: 0 });
  });
});

it("whoever comes in behind a silent computation is told", async () => {
  const [project, world] = [await newProject(), new World()];
  await addContacts(project, 1, 700);
  const segment = await newSegment(project, { condition: atLength(isPro) });
  // Tracks from now on, and dies before it has taken anybody.
  const { ctx } = await world.context(project, { atStep: 4, when: "before" });
  await updateSegment(ctx, readId(segment.id), { trackMembership: true }).catch((error) => {
    if (!wasKilled(error)) throw error;
  });
  await passTheFirst(world, project, segment);
  await setPlan(project, "c1@example.com", "pro");
  expect(await compute(world, project, segment)).toEqual({ added: 1, removed: 0, total: 351 });
  expect(await ledgerOf(project, segment)).toMatchObject({ members: 351, entries: 1, exits: 0 });
});

it("tracking that begins again while a run finds it off takes everybody, and tells nobody", async () => {
  const [project, world] = [await newProject(), new World()];
  await addContacts(project, 1, 12_000);
  const segment = await newSegment(project, { condition: isPro });
  const track = async (trackMembership: boolean) => {
    await updateSegment((await world.context(project)).ctx, readId(segment.id), { trackMembership });
  };
  await track(true);
  const [message] = world.queue.splice(0);
  if (!message) throw new Error("Nothing was queued");
  await track(false);
  const { platform, process } = world.process();
  const step = process.step.bind(process);
  let isFirst = true;
  // Between what the run reads and what it writes.
  process.step = async (name, effect) => {
    if (name === "batch" && isFirst) {
      isFirst = false;
      await track(true);
    }
    return step(name, effect);
  };
  await handleMessage(platform, message.queued.message);
  await world.drain();
  await tick(world, project);
  await world.drain();
  expect(await ledgerOf(project, segment)).toMatchObject({ members: 6_000, entries: 0, exits: 0 });
});

it("a call whose segment is deleted or tracked no more on the way says so", async () => {
  for (const [change, refusal] of [
    ["delete", NotFound],
    ["untrack", BadRequest],
  ] as const) {
    const [project, world] = [await newProject(), new World()];
    await addContacts(project, 1, 10);
    const segment = await newSegment(project, { condition: isPro, trackMembership: true });
    const { ctx } = await world.context(project);
    const row = await segmentRow(world, project, segment);
    const { platform, process } = world.process();
    const step = process.step.bind(process);
    let batches = 0;
    // Behind the batch that starts it.
    process.step = async (name, effect) => {
      if (name === "batch") batches += 1;
      if (name !== "batch" && batches === 1) {
        batches += 1;
        if (change === "delete") await deleteSegment(ctx, readId(segment.id));
        else await updateSegment(ctx, readId(segment.id), { trackMembership: false });
      }
      return step(name, effect);
    };
    const computed = computeSegment(forProject(platform, ctx.project), row);
    await expect(computed).rejects.toBeInstanceOf(refusal);
    expect(await ledgerOf(project, segment)).toMatchObject({ members: 0, entries: 0 });
  }
});

it("a run writes nothing of what it saw before another had begun to write", async () => {
  const [project, world] = [await newProject(), new World()];
  await addContacts(project, 1, 1_400);
  const segment = await newSegment(project, { condition: isPro, trackMembership: true });
  await tick(world, project);
  const before = await activeJob(world, project, segment);
  // Finds the project, takes the job, begins, looks, finds members, writes the first of three batches.
  await world.runAndDie({ atStep: 7, when: "before" });
  expect(await ledgerOf(project, segment)).toMatchObject({ members: 300 });
  const { ctx } = await world.context(project);
  await expect(computeStep(ctx, before)).rejects.toMatchObject({ name: "MovedOn" });
  await world.drain();
  expect(await ledgerOf(project, segment)).toEqual({ members: 700, entries: 700, exits: 0, wrong: 0 });
});

it("a computation that another version of the program left begins again", async () => {
  const [project, world] = [await newProject(), new World()];
  await addContacts(project, 1, 10);
  const segment = await newSegment(project, { condition: isPro, trackMembership: true });
  await tick(world, project);
  const { id } = await activeJob(world, project, segment);
  const scan = { segment: await segmentRow(world, project, segment), named: [], at: world.now, of: "", after: "c" };
  await project.db
    .prepare("UPDATE jobs SET status = 'processing', state = ? WHERE id = ?")
    .bind(JSON.stringify({ silent: false, scan }), id)
    .run();
  await world.drain();
  expect(await ledgerOf(project, segment)).toEqual({ members: 5, entries: 5, exits: 0, wrong: 0 });
});

it("a tick that comes sooner in its minute than the last one finds the same segments due", async () => {
  const [project, world] = [await newProject(), new World()];
  await addContacts(project, 1, 1);
  const segment = await newSegment(project, { trackMembership: true });
  await tick(world, project);
  await world.drain();
  await setPlan(project, "c1@example.com", "pro");
  world.now -= 900;
  await tick(world, project);
  await world.drain();
  expect(await ledgerOf(project, segment)).toMatchObject({ members: 1, entries: 1 });
});
