import { sql } from "drizzle-orm";
import { asId, type Id } from "../../../core/ids";
import { minuteMs, secondMs } from "../../../core/time";
import { type CallVerdict, judgeCall, maxWaitMs } from "../../../core/workflows/call";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { openBatch } from "../../../db/batch";
import { asJson, asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { callOutbound } from "../../../platform/outbound";
import type { CallRequest } from "./request";
import {
  type CallKey,
  endUnwanted,
  giveBackCalls,
  moveToBack,
  selectTried,
  takeCalls,
  updateHeard,
  updateHost,
  updateHostsDue,
  updateTried,
  upsertCalledAt,
} from "./statements";

/** The step of an execution that waits for a call. */
export interface WaitingStep {
  contactId: Id;
  executionId: Id;
  stepId: Id;
}

/** Reports a call's outcome to its execution. May be called twice for one call. */
export type Settle = (ctx: Context, caller: WaitingStep, outcome: StepOutcome) => Promise<void>;

/** A host's turn ends after this many calls or this much time, so that other hosts get theirs. */
const callsPerTurn = 20;
const turnMs = 2 * secondMs;

/** After this many timeouts of a host in a row, calls that have waited too long fail without being made. */
const silentAfter = 3;
const reportsAtOnce = 10;
/** When a disabled project's host is looked at again. */
const disabledMs = 10 * minuteMs;

/**
 * Takes one turn of a host: makes its next calls, one after the other, up to the first one that postpones the host. If
 * a consumer dies, its calls are due again after their lease, and are made again with the same idempotency key. The
 * outcome is stored before it is reported: if the report is lost, the execution asks.
 */
export async function callSome(ctx: Context, settle: Settle, host: string, isRunOver: () => boolean): Promise<void> {
  const until = ctx.clock().getTime() + turnMs;
  const isOver = () => isRunOver() || ctx.clock().getTime() >= until;
  if (ctx.project.disabled) return putOff(ctx, host);
  const taking = openBatch(ctx);
  const found = taking.add(
    statement(
      sql`SELECT timeouts FROM workflow_hosts WHERE ${inProject(ctx)} AND host = ${host}`,
      columns({ timeouts: asNumber }),
    ),
  );
  const taken = taking.add(takeCalls(ctx, host, callsPerTurn));
  taking.add(upsertCalledAt(ctx));
  taking.addAll(updateHostsDue(ctx, [host]));
  await taking.commit();
  const now = ctx.clock().getTime();
  const isSilent = (found.first?.timeouts ?? 0) >= silentAfter;
  const [tooOld = [], rest = []] = [
    taken.all.filter(({ createdAt }) => isSilent && now - createdAt > maxWaitMs),
    taken.all.filter(({ createdAt }) => !isSilent || now - createdAt <= maxWaitMs),
  ];
  if (tooOld.length > 0)
    await record(ctx, settle, host, { keys: tooOld, verdict: hostIsSilent, left: [], isLast: rest.length === 0 });
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    const made = await makeCall(ctx, next);
    const isPutOff = made !== null && made.putOff !== null;
    const left = isPutOff || isOver() ? rest.splice(0) : [];
    await record(ctx, settle, host, { keys: [next], verdict: made, left, isLast: rest.length === 0 });
  }
}

const hostIsSilent: CallVerdict = {
  kind: "over",
  outcome: { kind: "failed", reason: "The host has not answered any call for over an hour." },
  putOff: null,
};

async function putOff(ctx: Context, host: string): Promise<void> {
  const batch = openBatch(ctx);
  batch.add(moveToBack(ctx, host, ctx.clock().getTime() + disabledMs));
  batch.addAll(updateHostsDue(ctx, [host]));
  await batch.commit();
}

const readCall = columns({ request: asJson<CallRequest>(), attempts: asNumber, createdAt: asNumber });

/**
 * Makes a call. Returns null if it is no longer wanted: the contact was erased, the execution is over, or another
 * consumer has made it.
 */
async function makeCall(ctx: Context, key: CallKey): Promise<CallVerdict | null> {
  const { contactId, effectId } = key;
  const reading = openBatch(ctx);
  reading.add(endUnwanted(ctx, key));
  const found = reading.add(
    statement(
      sql`SELECT request, attempts, created_at FROM workflow_calls WHERE ${inProject(ctx)}
        AND contact_id = ${contactId} AND effect_id = ${effectId} AND ended_at IS NULL`,
      readCall,
    ),
  );
  await reading.commit();
  const call = found.first;
  if (call === undefined) return null;
  const result = await callOutbound(ctx, call.request);
  const verdict = judgeCall(result, call, { now: ctx.clock().getTime(), random: ctx.random() });
  return ctx.project.testClock ? atOnce(verdict) : verdict;
}

/**
 * On a test clock, time stands still until the call is over. So its attempts follow each other at once, and the host is
 * not postponed.
 */
function atOnce(verdict: CallVerdict): CallVerdict {
  if (verdict.kind === "over") return { ...verdict, putOff: null };
  return verdict.isCounted ? { ...verdict, waitMs: 0, putOff: null } : verdict;
}

interface Tried {
  keys: CallKey[];
  verdict: CallVerdict | null;
  /** Calls that were taken and not made. */
  left: CallKey[];
  isLast: boolean;
}

async function record(
  ctx: Context,
  settle: Settle,
  host: string,
  { keys, verdict, left, isLast }: Tried,
): Promise<void> {
  const at = ctx.clock().getTime();
  const batch = openBatch(ctx);
  if (left.length > 0) batch.add(giveBackCalls(ctx, left));
  const ended = verdict && batch.add(updateTried(ctx, keys, at, verdict));
  if (verdict) batch.recognise(sql`EXISTS (${selectTried(ctx, keys, at, verdict)})`);
  if (verdict && verdict !== hostIsSilent) {
    const isAnswered = verdict.kind === "over" && verdict.outcome.kind === "done";
    batch.add(updateHost(ctx, host, at, verdict.putOff, isAnswered));
  }
  if (isLast) batch.add(moveToBack(ctx, host));
  batch.addAll(updateHostsDue(ctx, [host]));
  await batch.commit();
  if (ended && verdict?.kind === "over") await report(ctx, settle, ended.all, verdict.outcome);
}

async function report(ctx: Context, settle: Settle, keys: CallKey[], outcome: StepOutcome): Promise<void> {
  const heard: CallKey[] = [];
  const left = keys.values();
  const runner = async () => {
    for (const key of left) {
      try {
        await settle(ctx, callerOf(key), outcome);
        heard.push(key);
      } catch (error) {
        ctx.log("error", "A call's outcome was not reported to its execution, which will ask for it", {
          reason: reasonOf(error),
        });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(reportsAtOnce, keys.length) }, runner));
  if (heard.length === 0) return;
  const batch = openBatch(ctx);
  batch.add(updateHeard(ctx, heard));
  await batch.commit();
}

function callerOf({ contactId, effectId }: CallKey): WaitingStep {
  const [executionId = "", stepId = ""] = effectId.split(":");
  return { contactId, executionId: asId(executionId), stepId: asId(stepId) };
}
