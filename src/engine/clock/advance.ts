import { sql } from "drizzle-orm";
import { z } from "zod";
import type { JsonObject } from "../../core/json";
import type { Queued, StoredJob } from "../../core/messages";
import { iso, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asJson, asNumber, columns, orNull, wholeRow } from "../../db/rows";
import { type Statement, selectOne, statement } from "../../db/statement";
import { type JobRow, projects } from "../../db/tables";
import { type Context, forProject, type Platform, type Project } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { guardState, type Step, updateEnded, updateState } from "../jobs/step";
import { workOn } from "../jobs/work";
import { dueRows, isDue, nextAt, type Timed } from "./timed";

// An advance moves a project's clock from one instant at which something is due to the next. At each instant it runs
// the verbs of the real sweeps and consumers until no work of the project is left, and only then moves the clock. So
// everything happens in order and at its exact time, however far the clock is moved.
//
// The rows are the source of truth: an advance that crashes at an instant finds its remaining work there. It does not
// need the queue messages that the verbs send, so it holds them back while the verbs run.

/**
 * The maximum number of instants of one advance. An advance with more instants fails, because some work of the project
 * is probably due again and again.
 */
const maxInstants = 10_000;
/** The longest real time that the work of one instant may take. */
const maxMsPerInstant = minuteMs;

/**
 * The maximum number of instants of one run. Each instant takes about fifty statements, and D1 allows a thousand per
 * invocation.
 */
const instantsPerRun = 10;

const AdvanceInput = z.object({ from: z.number(), target: z.number() });

/**
 * `at` is the instant to which the clock was set, or is about to be set; null before the first instant. `instants` is
 * the number of instants with due work up to and including `at`. `instantsBefore` is the number without `at`. Version
 * 1.0.0 stored no `instantsBefore`.
 */
const AdvanceState = z.object({
  at: z.number().nullable(),
  instants: z.number(),
  instantsBefore: z.number().optional(),
});
type AdvanceState = z.infer<typeof AdvanceState>;

export const firstAdvanceState = { at: null, instants: 0, instantsBefore: 0 } satisfies AdvanceState;

/** `project.advance`: processes one instant after the other. */
export async function advanceClock(platform: Platform, job: StoredJob, timed: readonly Timed[]): Promise<void> {
  await workOn(platform, job, (ctx, row) => processInstant(ctx, row, timed), { stepsPerRun: instantsPerRun });
}

async function processInstant(ctx: Context, row: JobRow, timed: readonly Timed[]): Promise<Step> {
  const { from, target } = AdvanceInput.parse(row.input);
  const state = AdvanceState.parse(row.state);
  const project = await setClock(ctx, from);
  const heldBack = holdMessages(ctx);
  const now = forProject(heldBack.platform, project);
  const at = now.clock().getTime();
  const instants = countInstants(state, at);
  const result = { instants, now: iso(at) };
  try {
    if (state.at === null) for (const { prepare } of timed) await prepare?.(now);
    const unsettled = await settle(now, timed, { isFirst: state.at === null });
    // The clock stays at this instant, and the next run does the remaining work.
    if (unsettled.length > 0 && isSpent(ctx)) return "goes on";
    if (unsettled.length > 0) {
      const reason = `At ${result.now} the project did not come to rest within 60 seconds: ${unsettled.join(", ")}.`;
      return await fail(ctx, row, result, reason);
    }
    heldBack.forget();
  } finally {
    await heldBack.sendOn();
  }
  if (at >= target) return end(ctx, row, result);
  const next = await nextInstant(now, timed);
  const isDue = next !== null && next <= target;
  if (isDue && instants >= maxInstants) {
    return fail(ctx, row, result, `Something was due at ${maxInstants} instants, and is due again at ${iso(next)}.`);
  }
  const chosen = isDue ? next : target;
  const nextState: AdvanceState = { at: chosen, instants: instants + (isDue ? 1 : 0), instantsBefore: instants };
  await write(ctx, [
    guardState(ctx, row),
    updateState(ctx, row, nextState, (100 * (at - from)) / Math.max(1, target - from), {
      result: sql`${JSON.stringify(result)}`,
    }),
  ]);
  await setClock(ctx, chosen);
  return "goes on";
}

/**
 * Returns how many instants with due work the clock has reached. If the run that chose the stored instant died before
 * it set the clock, that instant does not count yet. Something may have become due earlier meanwhile, so this run
 * chooses again.
 */
function countInstants({ at, instants, instantsBefore = instants }: AdvanceState, now: number): number {
  return at !== null && now < at ? instantsBefore : instants;
}

/** Moves the project's clock forward to an instant, and returns the project. The clock never goes back. */
async function setClock(ctx: Context, at: number): Promise<Project> {
  const batch = openBatch(ctx, ctx.control);
  const raised = batch.add(
    statement(
      sql`UPDATE projects SET clock_at = max(coalesce(clock_at, created_at), ${at})
        WHERE number = ${ctx.project.number} RETURNING *`,
      wholeRow(projects),
    ),
  );
  await batch.commit();
  return raised.one;
}

/**
 * Returns a platform that holds back messages about this project. The advance does not need them, because it finds the
 * work in the project's rows.
 */
function holdMessages(ctx: Context) {
  let heldBack: Queued[] = [];
  const isOurs = ({ message }: Queued) =>
    message.type === "webhooks.drain" || ("projectId" in message && message.projectId === ctx.project.number);
  const platform: Platform = {
    ...ctx,
    enqueue: async (queued) => {
      heldBack.push(...queued.filter(isOurs));
      const others = queued.filter((one) => !isOurs(one));
      if (others.length > 0) await ctx.enqueue(others);
    },
  };
  return {
    platform,
    forget: () => {
      heldBack = [];
    },
    sendOn: async () => {
      if (heldBack.length > 0) await ctx.enqueue(heldBack);
    },
  };
}

/** The shortest and the longest pause before looking again at work that a consumer claimed before the advance did. */
const pollMs = { leastMs: 10, mostMs: 2_000 };

/**
 * Does due work until none is left. Returns the names of the work that was not finished when the time limit was
 * reached, or when this invocation had used up its CPU time or its statements.
 */
async function settle(ctx: Context, timed: readonly Timed[], { isFirst }: { isFirst: boolean }): Promise<string[]> {
  const endsAt = ctx.realClock().getTime() + maxMsPerInstant;
  let due = isFirst ? [...timed] : await findDue(ctx, timed);
  let waitMs = 0;
  while (due.length > 0) {
    if (isSpent(ctx) || ctx.realClock().getTime() >= endsAt) return due.map(({ name }) => name);
    if (waitMs > 0) await ctx.sleep(waitMs);
    for (const work of due) await attempt(ctx, work);
    const before = due;
    due = await findDue(ctx, timed);
    const isSame = due.length === before.length && due.every((work) => before.includes(work));
    waitMs = isSame ? Math.min(pollMs.mostMs, Math.max(pollMs.leastMs, 2 * waitMs)) : 0;
  }
  return [];
}

/** Whether this invocation has used up its CPU time or its statements. */
function isSpent({ cpu, spent }: Context): boolean {
  return cpu.isSpent() || !spent.hasLeft();
}

/** Does some work. Work that fails stays due, and is retried until the instant's time limit. */
async function attempt(ctx: Context, work: Timed): Promise<void> {
  try {
    await work.settle(ctx, dueRows(ctx, work));
  } catch (error) {
    ctx.log("error", "Work failed while a test clock was moved", { what: work.name, reason: reasonOf(error) });
  }
}

async function findDue(ctx: Context, timed: readonly Timed[]): Promise<Timed[]> {
  // Reads one row with an array, because D1 allows only five terms in a UNION.
  const terms = timed.map((work) => isDue(ctx, work));
  const { due } = await selectOne(
    ctx.db,
    sql`SELECT json_array(${sql.join(terms, sql`, `)}) AS due`,
    columns({ due: asJson<number[]>() }),
  );
  return timed.filter((_, index) => due[index] === 1);
}

async function nextInstant(ctx: Context, timed: readonly Timed[]): Promise<number | null> {
  const terms = timed.map((work) => nextAt(ctx, work)).flatMap((next) => (next ? [sql`(${next})`] : []));
  const { at } = await selectOne(
    ctx.db,
    sql`SELECT min(value) AS at FROM json_each(json_array(${sql.join(terms, sql`, `)}))`,
    columns({ at: orNull(asNumber) }),
  );
  const computed = await Promise.all(timed.map(async ({ foresee }) => (foresee ? foresee(ctx) : null)));
  const times = [at, ...computed].filter((time) => time !== null);
  return times.length > 0 ? Math.min(...times) : null;
}

async function end(ctx: Context, row: JobRow, result: JsonObject): Promise<Step> {
  await write(ctx, [guardState(ctx, row), updateEnded(ctx, row, { status: "completed", result })]);
  return "ended";
}

async function fail(ctx: Context, row: JobRow, result: JsonObject, reason: string): Promise<Step> {
  await write(ctx, [
    guardState(ctx, row),
    updateEnded(ctx, row, { status: "failed", progress: row.progress, result, reason }),
  ]);
  return "ended";
}

async function write(ctx: Context, statements: Statement[]): Promise<void> {
  const batch = openBatch(ctx);
  batch.addAll(statements);
  await batch.commit();
}
