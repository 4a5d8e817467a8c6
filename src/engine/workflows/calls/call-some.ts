import { sql } from "drizzle-orm";
import { asId, type Id } from "../../../core/ids";
import { minuteMs, secondMs } from "../../../core/time";
import { type CallVerdict, judgeCall, maxWaitMs } from "../../../core/workflows/call";
import type { Outcome } from "../../../core/workflows/outcome";
import { openBatch } from "../../../db/batch";
import { asJson, asNumber, columns } from "../../../db/rows";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { callOutbound } from "../../../platform/outbound";
import type { CallRequest } from "./request";
import {
  type CallKey,
  endUnwanted,
  giveBackCalls,
  goBehind,
  selectTried,
  takeCalls,
  updateHeard,
  updateHost,
  updateHostsDue,
  updateTried,
  upsertCalledAt,
} from "./statements";

/** Who waits for a call. */
export interface Caller {
  contactId: Id;
  executionId: Id;
  stepId: Id;
}

/** Reports to an execution what came of its call. It may be told twice. */
export type Settle = (ctx: Context, caller: Caller, outcome: Outcome) => Promise<void>;

/** Then other hosts have their turn: after so many calls, or so much time. */
const callsPerTurn = 20;
const turnMs = 2 * secondMs;

/** A host that did not answer so many calls in a row is not waited for by calls that are old already. */
const silentAfter = 3;
const reportsAtOnce = 10;
/** When a host of a disabled project is looked at again. */
const disabledMs = 10 * minuteMs;

/**
 * One turn of a host: its next calls, one after the other. It ends with the first call that puts the others off. A consumer
 * that dies keeps what it took for the time of its lease; then the call is made again, with the same key. The outcome is
 * in the row before the execution hears of it: if the report is lost, the execution asks.
 */
export async function callSome(ctx: Context, settle: Settle, host: string, isRunOver: () => boolean): Promise<void> {
  const until = ctx.clock().getTime() + turnMs;
  const isOver = () => isRunOver() || ctx.clock().getTime() >= until;
  if (ctx.project.disabled) return putOff(ctx, host);
  const taking = openBatch(ctx);
  const found = taking.add(
    statement(
      sql`SELECT timeouts FROM workflow_hosts WHERE project_id = ${ctx.project.number} AND host = ${host}`,
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
    await record(ctx, settle, host, { keys: tooOld, verdict: gaveUp, left: [], isLast: rest.length === 0 });
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    const made = await makeCall(ctx, next);
    const isPutOff = made !== null && made.putOff !== null;
    const left = isPutOff || isOver() ? rest.splice(0) : [];
    await record(ctx, settle, host, { keys: [next], verdict: made, left, isLast: rest.length === 0 });
  }
}

const gaveUp: CallVerdict = {
  kind: "over",
  outcome: { kind: "failed", reason: "The host has answered nobody for over an hour." },
  putOff: null,
};

async function putOff(ctx: Context, host: string): Promise<void> {
  const batch = openBatch(ctx);
  batch.add(goBehind(ctx, host, ctx.clock().getTime() + disabledMs));
  batch.addAll(updateHostsDue(ctx, [host]));
  await batch.commit();
}

const readCall = columns({ request: asJson<CallRequest>(), attempts: asNumber, createdAt: asNumber });

/**
 * Null when there is nothing to be called any more: the contact was erased, the execution is over, or another consumer has
 * made the call.
 */
async function makeCall(ctx: Context, key: CallKey): Promise<CallVerdict | null> {
  const { contactId, effectId } = key;
  const reading = openBatch(ctx);
  reading.add(endUnwanted(ctx, key));
  const found = reading.add(
    statement(
      sql`SELECT request, attempts, created_at FROM workflow_calls WHERE project_id = ${ctx.project.number}
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

/** The time of such a project stands still until the call is over: its tries follow each other, and nobody is put off. */
function atOnce(verdict: CallVerdict): CallVerdict {
  if (verdict.kind === "over") return { ...verdict, putOff: null };
  return verdict.isCounted ? { ...verdict, waitMs: 0, putOff: null } : verdict;
}

interface Tried {
  keys: CallKey[];
  verdict: CallVerdict | null;
  /** Taken, and not called. */
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
  if (verdict && verdict !== gaveUp) {
    const isAnswered = verdict.kind === "over" && verdict.outcome.kind === "done";
    batch.add(updateHost(ctx, host, at, verdict.putOff, isAnswered));
  }
  if (isLast) batch.add(goBehind(ctx, host));
  batch.addAll(updateHostsDue(ctx, [host]));
  await batch.commit();
  if (ended && verdict?.kind === "over") await report(ctx, settle, ended.all, verdict.outcome);
}

async function report(ctx: Context, settle: Settle, keys: CallKey[], outcome: Outcome): Promise<void> {
  const heard: CallKey[] = [];
  const left = keys.values();
  const runner = async () => {
    for (const key of left) {
      try {
        await settle(ctx, callerOf(key), outcome);
        heard.push(key);
      } catch (error) {
        ctx.log("error", "An execution was not told of its call; it will ask", { reason: reasonOf(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(reportsAtOnce, keys.length) }, runner));
  if (heard.length === 0) return;
  const batch = openBatch(ctx);
  batch.add(updateHeard(ctx, heard));
  await batch.commit();
}

function callerOf({ contactId, effectId }: CallKey): Caller {
  const [executionId = "", stepId = ""] = effectId.split(":");
  return { contactId, executionId: asId(executionId), stepId: asId(stepId) };
}
