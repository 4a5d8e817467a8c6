import { sql } from "drizzle-orm";
import { type CallVerdict, judgeCall } from "../../../core/workflows/call";
import { openBatch } from "../../../db/batch";
import { asJson, asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { callOutbound } from "../../../platform/outbound";
import { endUnwanted, type MadeCall } from "./record";
import type { CallRequest } from "./request";
import type { CallKey } from "./rows";

const readCall = columns({ request: asJson<CallRequest>(), attempts: asNumber, createdAt: asNumber });

/**
 * Makes a call. Returns null if it is no longer wanted: the contact was erased, the execution is over, or another
 * consumer has made it.
 */
export async function makeCall(ctx: Context, key: CallKey): Promise<MadeCall | null> {
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
  const at = ctx.clock().getTime();
  const verdict = judgeCall(result, call, { now: at, random: ctx.random() });
  return { at, verdict: ctx.project.testClock ? atOnce(verdict) : verdict };
}

/**
 * Removes the waits between the attempts of a call, for a project with a test clock. The project's time stands still
 * until the call is over.
 */
function atOnce(verdict: CallVerdict): CallVerdict {
  if (verdict.kind === "over") return { ...verdict, putOff: null };
  return verdict.isCounted ? { ...verdict, waitMs: 0, putOff: null } : verdict;
}
