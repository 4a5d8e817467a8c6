import { sql } from "drizzle-orm";
import { z } from "zod";
import type { JsonObject } from "../../core/json";
import type { MessageOf, Queued } from "../../core/messages";
import { iso, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asJson, asNumber, columns, orNull, wholeRow } from "../../db/rows";
import { type Statement, selectOne, statement } from "../../db/statement";
import { type JobRow, projects } from "../../db/tables";
import { type Context, forProject, type Platform, type Project } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { guardState, type Step, updateEnded, updateState } from "../jobs/step";
import { workOn } from "../jobs/work";
import type { Timed } from "./timed";

// An advance takes a project's clock from one instant at which something is due to the next. At each it does what is due,
// with the verbs of the real sweeps and consumers, until nothing of the project is under way any more: only then does time go
// on. So everything happens in the order of its time, and at its time, however far the clock is moved.
//
// The rows are the truth, here as everywhere: an advance that dies at an instant finds there what is still to be done. What
// its verbs send to the queue is not needed for that, and is kept back while they run.

/** An advance ends after so many instants: something of the project is due again and again. */
const maxInstants = 10_000;
/** By the real clock. */
const maxMsPerInstant = minuteMs;

/** Each instant is some fifty statements, and D1 takes a thousand of an invocation. */
const instantsPerRun = 10;

const Input = z.object({ from: z.number(), target: z.number() });

/** `at` is the instant that the clock is at, or is about to be set to. Null before the first one. */
const State = z.object({ at: z.number().nullable(), instants: z.number() });
type State = z.infer<typeof State>;

export const firstAdvanceState = { at: null, instants: 0 } satisfies State;

/** `project.advance`: one instant after the other. */
export async function advanceClock(
  platform: Platform,
  message: MessageOf<"project.advance">,
  works: readonly Timed[],
): Promise<void> {
  await workOn(platform, message, (ctx, row) => passInstant(ctx, row, works), { stepsPerRun: instantsPerRun });
}

async function passInstant(ctx: Context, row: JobRow, works: readonly Timed[]): Promise<Step> {
  const { from, target } = Input.parse(row.input);
  const state = State.parse(row.state);
  const project = await setClock(ctx, state.at);
  const kept = keepBack(ctx);
  const now = forProject(kept.platform, project);
  const told = { instants: state.instants, now: iso(now.clock().getTime()) };
  try {
    const busy = await settle(now, works, { isFirst: state.at === null });
    // The clock stays here, and the next run does the rest.
    if (busy.length > 0 && ctx.cpu.isSpent()) return "goes on";
    if (busy.length > 0) {
      const reason = `At ${told.now} the project did not come to rest within 60 seconds: ${busy.join(", ")}.`;
      return await fail(ctx, row, told, reason);
    }
    kept.forget();
  } finally {
    await kept.sendOn();
  }
  const at = now.clock().getTime();
  if (at >= target) return end(ctx, row, told);
  const next = await nextInstant(now, works);
  const isDue = next !== null && next <= target;
  if (isDue && state.instants >= maxInstants) {
    return fail(ctx, row, told, `Something was due at ${maxInstants} instants, and is due again at ${iso(next)}.`);
  }
  const passed: State = { at: isDue ? next : target, instants: state.instants + (isDue ? 1 : 0) };
  await write(ctx, [
    guardState(ctx, row),
    updateState(ctx, row, passed, (100 * (at - from)) / Math.max(1, target - from), {
      result: sql`${JSON.stringify(told)}`,
    }),
  ]);
  return "goes on";
}

/** Raises the project's clock to an instant, and returns the project. It never goes back. */
async function setClock(ctx: Context, at: number | null): Promise<Project> {
  const batch = openBatch({ ...ctx, db: ctx.control });
  const raised = batch.add(
    statement(
      sql`UPDATE projects SET clock_at = max(coalesce(clock_at, created_at), ${at ?? 0})
        WHERE number = ${ctx.project.number} RETURNING *`,
      wholeRow(projects),
    ),
  );
  await batch.commit();
  return raised.one;
}

/** A platform whose messages about the project stay here: its rows say all that they do. */
function keepBack(ctx: Context) {
  let kept: Queued[] = [];
  const isOurs = ({ message }: Queued) =>
    message.type === "webhooks.drain" || ("projectId" in message && message.projectId === ctx.project.number);
  const platform: Platform = {
    ...ctx,
    enqueue: async (queued) => {
      kept.push(...queued.filter(isOurs));
      const others = queued.filter((one) => !isOurs(one));
      if (others.length > 0) await ctx.enqueue(others);
    },
  };
  return {
    platform,
    forget: () => {
      kept = [];
    },
    sendOn: async () => {
      if (kept.length > 0) await ctx.enqueue(kept);
    },
  };
}

/** How long to wait for what others have in hand: consumers that took it up before the advance did. */
const waits = { leastMs: 10, mostMs: 500 };

/** Does what is due until nothing is. Returns what did not come to rest in time, or with this invocation's CPU. */
async function settle(ctx: Context, works: readonly Timed[], { isFirst }: { isFirst: boolean }): Promise<string[]> {
  const endsAt = ctx.realClock().getTime() + maxMsPerInstant;
  let due = isFirst ? [...works] : await findDue(ctx, works);
  let waitMs = 0;
  while (due.length > 0) {
    if (ctx.cpu.isSpent() || ctx.realClock().getTime() >= endsAt) return due.map(({ name }) => name);
    if (waitMs > 0) await ctx.sleep(waitMs);
    for (const work of due) await attempt(ctx, work);
    const before = due;
    due = await findDue(ctx, works);
    const isSame = due.length === before.length && due.every((work) => before.includes(work));
    waitMs = isSame ? Math.min(waits.mostMs, Math.max(waits.leastMs, 2 * waitMs)) : 0;
  }
  return [];
}

/** What fails is still due, and is tried again for as long as the instant may last. */
async function attempt(ctx: Context, work: Timed): Promise<void> {
  try {
    await work.settle(ctx);
  } catch (error) {
    ctx.log("error", "Something failed at an instant of a test clock", { what: work.name, reason: reasonOf(error) });
  }
}

async function findDue(ctx: Context, works: readonly Timed[]): Promise<Timed[]> {
  // D1 takes five terms of a UNION.
  const asked = works.map((work) => sql`(${work.isDue(ctx)})`);
  const { due } = await selectOne(
    ctx.db,
    sql`SELECT json_array(${sql.join(asked, sql`, `)}) AS due`,
    columns({ due: asJson<number[]>() }),
  );
  return works.filter((_, place) => due[place] === 1);
}

async function nextInstant(ctx: Context, works: readonly Timed[]): Promise<number | null> {
  const asked = works.flatMap(({ nextAt }) => (nextAt ? [sql`(${nextAt(ctx)})`] : []));
  const { at } = await selectOne(
    ctx.db,
    sql`SELECT min(value) AS at FROM json_each(json_array(${sql.join(asked, sql`, `)}))`,
    columns({ at: orNull(asNumber) }),
  );
  const foreseen = await Promise.all(works.map(async ({ foresee }) => (foresee ? foresee(ctx) : null)));
  const times = [at, ...foreseen].filter((time) => time !== null);
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
