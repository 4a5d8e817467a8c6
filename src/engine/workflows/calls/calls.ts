import { sql } from "drizzle-orm";
import { minuteMs } from "../../../core/time";
import { type CallVerdict, maxWaitMs } from "../../../core/workflows/call";
import { openBatch } from "../../../db/batch";
import { asNumber, asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import type { OutboundCalls } from "../../outbound/drain";
import { moveToBack, updateDue } from "../../outbound/rows";
import { outboundCalls } from "../../outbound/turn";
import { findDueHosts, waitingHosts } from "./find-due";
import { makeCall } from "./make-call";
import { selectTried, updateHost, updateTried } from "./record";
import { report, type Settle, settleCall } from "./report";
import { type CallKey, workflowRows } from "./rows";

/** How long a host is postponed while its project is disabled, in milliseconds. */
const disabledMs = 10 * minuteMs;
/** After this many timeouts of a host in a row, calls that have waited too long fail without being made. */
const silentAfter = 3;

/**
 * Returns the calls of WEBHOOK steps as a kind of outbound call: all calls of a project to one host share turns. Each
 * outcome is stored and then reported before the next call is made, because an execution waits for it.
 */
export function workflowCalls(settle: Settle = settleCall): OutboundCalls {
  const calls = outboundCalls({
    kind: "workflow",
    rows: workflowRows,
    message: { type: "workflows.call" },
    waiting: () => waitingHosts,
    findDue: findDueHosts,
    begin(ctx, batch, host) {
      batch.add(upsertCalledAt(ctx));
      return batch.add(
        statement(
          sql`SELECT ${host} AS host, coalesce(max(timeouts), 0) AS timeouts FROM workflow_hosts
            WHERE ${inProject(ctx)} AND host = ${host}`,
          columns({ host: asText, timeouts: asNumber }),
        ),
      );
    },
    read: (ctx, { host, timeouts }, keys) =>
      timeouts < silentAfter ? Promise.resolve(keys) : failOldest(ctx, settle, host, keys),
    make: (ctx, _, key) => makeCall(ctx, key),
    endsTurn: ({ verdict }) => verdict.putOff !== null,
    record(ctx, batch, { host }, key, made) {
      const ended = batch.add(updateTried(ctx, [key], made));
      batch.recognise(sql`EXISTS (${selectTried(ctx, [key], made)})`);
      batch.addAll(updateHost(ctx, host, made));
      const { verdict } = made;
      return verdict.kind === "over" ? () => report(ctx, settle, ended.all, verdict.outcome) : undefined;
    },
    isEachRecorded: true,
  });
  return {
    ...calls,
    takeTurn: (ctx, host, isOver) => (ctx.project.disabled ? putOff(ctx, host) : calls.takeTurn(ctx, host, isOver)),
  };
}

async function putOff(ctx: Context, host: string): Promise<void> {
  const batch = openBatch(ctx);
  batch.add(moveToBack(ctx, workflowRows, host, ctx.clock().getTime() + disabledMs));
  batch.add(updateDue(ctx, workflowRows, [host]));
  await batch.commit();
}

const hostIsSilent = {
  kind: "over",
  outcome: { kind: "failed", reason: "The host has not answered any call for over an hour." },
  putOff: null,
} satisfies CallVerdict;

/** Ends the calls that have waited too long for a silent host. Returns the remaining calls. */
async function failOldest(ctx: Context, settle: Settle, host: string, keys: CallKey[]): Promise<CallKey[]> {
  const at = ctx.clock().getTime();
  const made = { at, verdict: hostIsSilent };
  const batch = openBatch(ctx);
  const failed = batch.add(updateTried(ctx, keys, made, sql`created_at < ${at - maxWaitMs}`));
  batch.recognise(sql`EXISTS (${selectTried(ctx, keys, made)})`);
  batch.add(updateDue(ctx, workflowRows, [host]));
  await batch.commit();
  await report(ctx, settle, failed.all, hostIsSilent.outcome);
  const ended = new Set(failed.all.map(({ effectId }) => effectId));
  return keys.filter(({ effectId }) => !ended.has(effectId));
}

/** Records the project's turn, so that projects that have waited longer go first. */
function upsertCalledAt(ctx: Context) {
  return statement(
    sql`INSERT INTO project_counts (project_id, called_at) VALUES (${ctx.project.number}, ${ctx.clock().getTime()})
      ON CONFLICT DO UPDATE SET called_at = excluded.called_at`,
  );
}
