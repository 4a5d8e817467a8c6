import { sql } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { asId } from "../../src/core/ids";
import { sweepLostMessages, ticks } from "../../src/cron";
import { openBatch } from "../../src/db/batch";
import { maxRowsPerStatement } from "../../src/db/limits";
import { beginMove, createFences, dropMoveTriggers, endMove } from "../../src/db/move-fence";
import { movedTables } from "../../src/db/project-tables";
import { statement } from "../../src/db/statement";
import { dispatchStranded } from "../../src/engine/events/dispatch-stranded";
import { requeueLostJobs } from "../../src/engine/jobs/requeue-lost";
import { lookUpUnknown } from "../../src/engine/mail/deliver/look-up-unknown";
import { forgetVersions } from "../../src/features/templates/forget-versions";
import { rowsIn, shardOf } from "../support/move";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { loseMessages } from "../support/works";
import { World } from "../support/world";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("no sweep changes a row behind a fence, or fails for it, and each sees to other projects", {
  timeout: 120_000,
}, async () => {
  const world = new World();
  const outside = new Outside();
  const [fenced, other] = [await newProject(), await newProject()];
  expect(await shardOf(fenced)).toBe(await shardOf(other));
  for (const project of [fenced, other]) {
    const { ctx } = await world.context(project);
    await loseMessages({ world, outside, project, ctx: { ...ctx, origin: "https://petrel.example" } });
  }
  const { ctx } = await world.context(fenced);
  const owner = { project: fenced, jobId: asId("0123456789abcdefghijkl") };
  const raising = openBatch(ctx);
  raising.addAll([...beginMove(owner, "fenced"), ...createFences(fenced.number, movedTables(ctx.project.shard))]);
  await raising.commit();

  const shard = await shardOf(fenced);
  const before = await rowsIn(shard, fenced);
  const othersBefore = await rowsIn(shard, other);
  const days = [0, 1, 40, 500];
  for (const day of days) {
    world.now += day * 86_400_000;
    for (const cron of [...Object.keys(ticks), "start"]) await world.sweep(cron);
    await sweepLostMessages(world.process().platform);
  }
  expect(world.logged.filter((text) => text.includes("sweep failed"))).toEqual([]);
  expect(
    world.queue.filter(({ queued }) => "projectId" in queued.message && queued.message.projectId === fenced.number),
  ).toEqual([]);
  expect(await rowsIn(shard, fenced)).toEqual(before);
  expect(await rowsIn(shard, other)).not.toEqual(othersBefore);
  // Both had the same work. What the sweeps have of the one, they have not of the other.
  const kinds = new Set(world.queue.map(({ queued }) => queued.message.type));
  for (const type of ["campaigns.run", "workflows.wake", "segments.compute", "events.dispatch"])
    expect([...kinds]).toContain(type);
  world.queue = [];

  const lowering = openBatch(ctx);
  lowering.addAll([...endMove(owner), ...(await dropMoveTriggers(ctx.db, fenced.number))]);
  await lowering.commit();
  world.now += 86_400_000;
  for (const cron of Object.keys(ticks)) await world.sweep(cron);
  expect(await rowsIn(shard, fenced)).not.toEqual(before);
  world.queue = [];
});

const behind = maxRowsPerStatement * 2 + 10;
const owner = (project: TestProject) => ({ project, jobId: asId("0123456789abcdefghijkl") });
const numbers = (count: number) =>
  sql`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}) SELECT`;

/** Notes the statements that scan one of these indexes. */
function watch(world: World, indexes: RegExp): string[] {
  const texts: string[] = [];
  world.fault = {
    meet: (trip, make) => {
      texts.push(...trip.sql.filter((text) => indexes.test(text)));
      return make();
    },
  };
  return texts;
}

it("reaches a neighbour behind many due rows of a project that is not at home, 25,000 with one statement", {
  timeout: 60_000,
}, async () => {
  const world = new World();
  const [fenced, other] = [await newProject(), await newProject()];
  const { ctx } = await world.context(other);
  const filling = openBatch(ctx);
  // Many are due at the same moment, as after a schedule.
  const due = ({ number }: TestProject, count: number, at: number) =>
    filling.add(
      statement(sql`INSERT INTO events (project_id, id, name, data, next_announce_at)
        ${numbers(count)} ${number}, printf('sweep%017d', n), 'paid', '{}', ${at} FROM numbers`),
    );
  due(fenced, behind, world.now - 7_200_000);
  due(other, 3, world.now - 3_600_000);
  const lost = ({ number }: TestProject, count: number, type: string, at: number) =>
    filling.add(
      statement(sql`INSERT INTO jobs (project_id, id, type, status, input, state, errors, created_at, next_announce_at)
        ${numbers(count)} ${number}, printf('sweep%s%d', substr(${type} || '.................', 1, 9), 10000000 + n), ${type},
          'queued', '{}', '{}', '[]', 1, ${at} FROM numbers`),
    );
  lost(fenced, behind, "contacts.count-fields", world.now - 7_200_000);
  lost(other, 3, "contacts.count-fields", world.now - 3_600_000);
  // The job of a move is behind the fence of the database to which it copies.
  lost(fenced, 1, "project.move", world.now - 3_600_000);
  filling.addAll(beginMove(owner(fenced), "fenced"));
  await filling.commit();

  const texts = watch(world, /ix_events_waiting|ix_jobs_open/);
  await dispatchStranded(world.process().platform);
  const dispatched = world.queue.filter(({ queued }) => queued.message.type === "events.dispatch");
  expect(new Set(dispatched.map(({ queued }) => "projectId" in queued.message && queued.message.projectId))).toEqual(
    new Set([other.number]),
  );
  expect(texts.length).toBeGreaterThanOrEqual(3);
  texts.length = 0;
  const waiting = sql`SELECT count(*) AS n FROM events WHERE project_id = ${other.number} AND next_announce_at <= ${world.now}`;
  expect(await ctx.db.get(waiting)).toEqual({ n: 0 });

  await requeueLostJobs(world.process().platform);
  expect(texts.length).toBeGreaterThanOrEqual(3);
  world.fault = null;
  const requeued = world.queue.map(({ queued }) => queued.message).filter((message) => "jobId" in message);
  expect(requeued.map(({ type, projectId }) => [type, projectId]).toSorted()).toEqual([
    ...[1, 2, 3].map(() => ["contacts.count-fields", other.number]),
    ["project.move", fenced.number],
  ]);

  world.queue = [];
  const emptying = openBatch(ctx);
  emptying.addAll(endMove(owner(fenced)));
  for (const { number } of [fenced, other]) {
    for (const table of [sql`events`, sql`jobs`]) {
      emptying.add(statement(sql`DELETE FROM ${table} WHERE project_id = ${number} AND id LIKE 'sweep%'`));
    }
  }
  await emptying.commit();
});

it("reaches a neighbour's template versions and mail of unknown outcome behind as many", {
  timeout: 60_000,
}, async () => {
  const world = new World();
  const [fenced, other] = [await newProject(), await newProject()];
  const { ctx } = await world.context(other);
  const filling = openBatch(ctx);
  for (const [{ number }, count, before] of [
    [fenced, behind, 7_200_000],
    [other, 3, 3_600_000],
  ] as const) {
    const at = world.now - before;
    filling.add(
      statement(sql`INSERT INTO template_versions (project_id, id, template_id, number, subject, from_email, type, created_at, check_at)
        ${numbers(count)} ${number}, printf('sweep%017d', n), 'gone', n, 'Hi', 'a@b.test', 'MARKETING', 1, ${at} FROM numbers`),
    );
    filling.add(
      statement(sql`INSERT INTO emails (project_id, id, content_id, contact_id, to_email, source, status, round, uncertain_since, look_up_at, provider, created_at)
        ${numbers(count)} ${number}, printf('sweep%017d', n), 'gone', printf('sweep%017d', n), 'a@b.test', 'API', 'UNKNOWN', 'round',
          ${at}, ${at}, ${ctx.mailer.name}, 1 FROM numbers`),
    );
  }
  filling.addAll(beginMove(owner(fenced), "fenced"));
  await filling.commit();

  const texts = watch(world, /ix_template_versions_check|ix_emails_look_up/);
  await forgetVersions(world.process().platform);
  expect(texts.length).toBeGreaterThanOrEqual(3);
  texts.length = 0;
  const asked: string[] = [];
  world.lookUp = (round) => {
    asked.push(round);
    return {};
  };
  await lookUpUnknown(world.process().platform);
  expect(texts.length).toBeGreaterThanOrEqual(3);
  world.fault = null;
  expect(asked).toEqual(["round"]);

  const left = (table: string, { number }: TestProject) =>
    ctx.db.get<{ n: number }>(
      sql`SELECT count(*) AS n FROM ${sql.raw(table)} WHERE project_id = ${number} AND id LIKE 'sweep%'`,
    );
  expect(await left("template_versions", other)).toEqual({ n: 0 });
  expect(await left("template_versions", fenced)).toEqual({ n: behind });
  const due = sql`SELECT count(*) AS n FROM emails WHERE look_up_at <= ${world.now} AND project_id = `;
  expect(await ctx.db.get(sql`${due} ${other.number}`)).toEqual({ n: 0 });
  expect(await ctx.db.get(sql`${due} ${fenced.number}`)).toEqual({ n: behind });

  world.queue = [];
  const emptying = openBatch(ctx);
  emptying.addAll(endMove(owner(fenced)));
  for (const { number } of [fenced, other]) {
    for (const table of [sql`template_versions`, sql`emails`]) {
      emptying.add(statement(sql`DELETE FROM ${table} WHERE project_id = ${number} AND id LIKE 'sweep%'`));
    }
  }
  await emptying.commit();
});
