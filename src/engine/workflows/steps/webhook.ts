import { sql } from "drizzle-orm";
import { chunksOfBytes } from "../../../core/chunks";
import { type Id, textOf } from "../../../core/ids";
import { isJsonObject, utf8Bytes } from "../../../core/json";
import { nudge } from "../../../core/nudge";
import { Budget } from "../../../core/templating/budget";
import { minuteMs } from "../../../core/time";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { literalUrl } from "../../../core/workflows/steps/webhook-config";
import { openBatch } from "../../../db/batch";
import { asFlag, asJson, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { checkOutboundUrl } from "../../../platform/check-outbound-url";
import type { Context } from "../../../platform/context";
import { openSlices } from "../../../platform/let-others-in";
import { judgeOutboundUrl } from "../../../platform/outbound";
import { type CallRequest, requestOf } from "../calls/request";
import { upsertHosts } from "../calls/rows";
import { type Arrival, contactDeleted, effectIdOf } from "./arrival";
import type { StepEffect } from "./effect";
import { warnOfForeign } from "./foreign-placeholders";
import { isUnrenderable, type RenderedContact, selectContacts } from "./render-step";

type Call = Arrival<"WEBHOOK">;

export const webhook = {
  run: storeStepCalls,
  simulate: async () => ({
    kind: "done",
    output: { statusCode: 200, success: true, response: "" },
    because: "Nothing was called: a simulation assumes an answer with 200",
  }),
  renders: true,
  awaitsReport: true,
  async check(ctx, { url, headers, body }) {
    checkOutboundUrl(ctx, { field: "config.url", url, judged: literalUrl(url) });
    warnOfForeign(ctx, { url, headers, body });
    return [];
  },
} satisfies StepEffect<"WEBHOOK">;

interface Planned {
  arrival: Call;
  host: string;
  /** The request as JSON. */
  request: string;
}

/** The maximum total size of the requests in one batch, in bytes. */
const maxBytes = 1_000_000;
/** The maximum size of a single request, in bytes. */
const maxRequestBytes = 500_000;

/** How long an execution waits before it asks for the outcome of its call, in milliseconds. */
const askAgainMs = 15 * minuteMs;

/**
 * Renders and stores the calls of a group of executions, and asks a consumer to make them. If a repeat finds a stored
 * row, the call is in progress, or its outcome is stored but the report was lost, or the execution already has the
 * outcome. The last case occurs when a changed workflow leads an execution to a step again.
 */
async function storeStepCalls(given: Context, arrivals: Call[]): Promise<(StepOutcome | null)[]> {
  // Calls follow the real clock, whereas the execution waits by the clock of its project.
  const ctx = { ...given, now: given.realClock() };
  const reading = openBatch(ctx);
  const calls = reading.add(selectCalls(ctx, arrivals));
  const contacts = reading.add(
    selectContacts(
      ctx,
      arrivals.map(({ contactId }) => contactId),
    ),
  );
  await reading.commit();
  const people = new Map<Id, RenderedContact>(contacts.all.map((contact) => [contact.id, contact]));
  const called: StepOutcome = { kind: "called", until: given.clock().getTime() + askAgainMs };
  const planned: Planned[] = [];
  const outcomes: (StepOutcome | null)[] = [];
  const slices = openSlices(ctx.cpu);
  for (const [index, arrival] of arrivals.entries()) {
    await slices.between();
    const known = calls.all[index];
    const contact = people.get(arrival.contactId);
    if (known?.isStored) outcomes.push(known.outcome ?? (known.isReported ? sameAsBefore(arrival) : called));
    else if (!contact) outcomes.push({ kind: "done", skipped: contactDeleted });
    else if (ctx.cpu.isSpent()) outcomes.push(null);
    else {
      const budget = new Budget();
      const plan = planOf(ctx, arrival, contact, budget);
      slices.spend(budget.spent);
      if (!("kind" in plan)) planned.push(plan);
      outcomes.push("kind" in plan ? plan : called);
    }
  }
  for (const part of chunksOfBytes(planned, maxBytes, ({ request }) => request)) await insertCalls(ctx, part);
  if (planned.length > 0) await askConsumer(ctx);
  return outcomes;
}

/** Returns the output of the execution's first visit to the step, because a step is done only once. */
function sameAsBefore({ scope, step }: Call): StepOutcome {
  const before = scope.steps[step.name];
  return { kind: "done", ...(isJsonObject(before) && { output: before }) };
}

function planOf(ctx: Context, arrival: Call, contact: RenderedContact, budget: Budget): Planned | StepOutcome {
  try {
    const request = requestOf(arrival, contact, budget);
    if ("reason" in request) return { kind: "failed", reason: request.reason };
    return stored(ctx, arrival, request);
  } catch (error) {
    if (!isUnrenderable(error)) throw error;
    return { kind: "failed", reason: error.message };
  }
}

function stored(ctx: Context, arrival: Call, call: CallRequest): Planned | StepOutcome {
  const judged = judgeOutboundUrl(ctx, call.url);
  if (judged.kind === "refused") return { kind: "failed", reason: judged.reason };
  const request = JSON.stringify(call);
  if (utf8Bytes(request) > maxRequestBytes) {
    return { kind: "failed", reason: `The call has more than ${maxRequestBytes} bytes` };
  }
  return { arrival, host: judged.url.host, request };
}

interface StoredCall {
  isStored: boolean;
  isReported: boolean;
  outcome: StepOutcome | null;
}

function selectCalls(ctx: Context, arrivals: Call[]): Statement<StoredCall> {
  const items = JSON.stringify(arrivals.map((arrival) => [arrival.contactId, effectIdOf(arrival)]));
  return statement(
    sql`SELECT k.effect_id IS NOT NULL AS is_stored, k.ended_at IS NOT NULL AND k.outcome IS NULL AS is_reported, k.outcome
      FROM json_each(${items}) r
      LEFT JOIN workflow_calls k ON ${inProject(ctx, "k")} AND k.contact_id = r.value->>0
        AND k.effect_id = r.value->>1
      ORDER BY r.key`,
    columns({ isStored: asFlag, isReported: asFlag, outcome: orNull(asJson<StepOutcome>()) }),
  );
}

/** Inserts the calls, except those of contacts that were deleted meanwhile. */
async function insertCalls(ctx: Context, planned: Planned[]): Promise<void> {
  const now = ctx.now.getTime();
  const items = planned.map(({ arrival, host, request }) => [
    ...[textOf(arrival.contactId), effectIdOf(arrival), host, request],
  ]);
  const batch = openBatch(ctx);
  // A call is inserted once, and the due time of its host is derived from its calls, so a second run changes nothing.
  batch.mayRepeat();
  batch.add(
    statement(
      sql`INSERT INTO workflow_calls (project_id, contact_id, effect_id, host, request, next_attempt_at, created_at)
        SELECT c.project_id, c.id, r.value->>1, r.value->>2, r.value->>3, ${now}, ${now}
        FROM json_each(${JSON.stringify(items)}) r
        CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>0
        WHERE true ON CONFLICT DO NOTHING`,
    ),
  );
  batch.addAll(upsertHosts(ctx, [...new Set(planned.map(({ host }) => host))]));
  await batch.commit();
}

/** Asks a consumer to make the calls. Must follow their commit. */
function askConsumer(ctx: Context): Promise<void> {
  return nudge(ctx, [{ message: { type: "workflows.call" } }]);
}
