import { sql } from "drizzle-orm";
import { type FieldFault, Invalid, NotFound } from "../../core/errors";
import { publicId, readId } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { cronFault, nextTick } from "../../core/workflows/schedule";
import type { EventTrigger, ScheduleTrigger, Trigger, TriggerType } from "../../core/workflows/trigger";
import { inProject } from "../../db/scope";
import { guard, type Statement } from "../../db/statement";
import type { WorkflowRow } from "../../db/tables";
import { triggerOf } from "../../engine/workflows/graph";
import type { Context } from "../../platform/context";
import type { SentTrigger, UpdateWorkflow } from "./schema";

type Sent = Pick<UpdateWorkflow, "triggerType" | "triggerConfig" | "eventName">;

/**
 * Returns the trigger that a call asks for. Fields that the call leaves out stay, unless the type changes. `before` is
 * null for a new workflow. Throws Invalid.
 */
export function readTrigger(ctx: Context, before: Trigger | null, sent: Sent): Trigger {
  const triggerType = sent.triggerType ?? before?.triggerType ?? "EVENT";
  const faults = faultsOf(triggerType, sent);
  if (faults.length > 0) throw new Invalid(faults);
  const config = { ...sent.triggerConfig, ...(sent.eventName === undefined ? {} : { eventName: nameIn(sent) }) };
  switch (triggerType) {
    case "EVENT":
      return { triggerType, triggerConfig: eventTrigger(before, config) };
    case "SCHEDULE":
      return { triggerType, triggerConfig: scheduleTrigger(ctx, before, config) };
    case "MANUAL":
      return { triggerType, triggerConfig: {} };
  }
}

function nameIn({ eventName, triggerConfig }: Sent): string | null {
  return triggerConfig?.eventName ?? eventName ?? null;
}

/** The names that each type accepts. Any other name is refused, because the sender expects an effect. */
const taken: Record<TriggerType, (keyof SentTrigger)[]> = {
  EVENT: ["eventName", "publicEvents"],
  SCHEDULE: ["cron", "segmentId"],
  MANUAL: [],
};

function faultsOf(type: TriggerType, { eventName, triggerConfig }: Sent): FieldFault[] {
  const given = Object.entries(triggerConfig ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const names = given.map(([name]) => `triggerConfig.${name}`);
  if (eventName !== undefined && eventName !== null) names.push("eventName");
  const known = new Set(taken[type].flatMap((name) => [name, `triggerConfig.${name}`]));
  const foreign = names.filter((name) => !known.has(name));
  const inConfig = triggerConfig?.eventName ?? eventName;
  const two =
    eventName && inConfig !== eventName ? [`eventName is ${eventName}, and triggerConfig.eventName ${inConfig}`] : [];
  return [
    ...foreign.map(
      (field): FieldFault => ({ field, code: "custom", message: `A trigger of type ${type} does not take this field` }),
    ),
    ...two.map(
      (message): FieldFault => ({ field: "eventName", code: "custom", message: `${message}: send one of them` }),
    ),
  ];
}

function eventTrigger(before: Trigger | null, { eventName, publicEvents }: SentTrigger): EventTrigger {
  const had = before?.triggerType === "EVENT" ? before.triggerConfig : { eventName: null, publicEvents: true };
  return {
    eventName: eventName === undefined ? had.eventName : eventName,
    publicEvents: publicEvents ?? had.publicEvents,
  };
}

function scheduleTrigger(ctx: Context, before: Trigger | null, sent: SentTrigger): ScheduleTrigger {
  const had = before?.triggerType === "SCHEDULE" ? before.triggerConfig : null;
  const cron = sent.cron?.trim() ?? had?.cron;
  const segmentId = sent.segmentId ? publicId(sent.segmentId) : had?.segmentId;
  if (cron === undefined || segmentId === undefined) {
    const missing = [...(cron === undefined ? ["cron"] : []), ...(segmentId === undefined ? ["segmentId"] : [])];
    throw new Invalid(
      missing.map((name) => ({
        field: `triggerConfig.${name}`,
        code: "required",
        message: "A SCHEDULE needs this field",
      })),
    );
  }
  const message = cron === had?.cron ? null : cronFault(cron, ctx.now);
  if (message !== null) {
    throw new Invalid([{ field: "triggerConfig.cron", code: "invalid_string", message, received: cron }]);
  }
  return { cron, segmentId };
}

/**
 * Returns when a scheduled workflow starts next. A tick that is already set stays, unless the schedule itself changes.
 */
export function nextTickOf(
  ctx: Context,
  before: WorkflowRow | null,
  enabled: boolean,
  trigger: Trigger,
): number | null {
  if (!enabled || trigger.triggerType !== "SCHEDULE") return null;
  const { cron } = trigger.triggerConfig;
  const had = before?.enabled ? triggerOf(before) : null;
  if (before && had?.triggerType === "SCHEDULE" && had.triggerConfig.cron === cron) return before.nextTickAt;
  return nextTick(cron, ctx.now);
}

/** Returns a guard which requires that the segment of a schedule exists. */
export function guardTrigger(ctx: Context, trigger: Trigger): Statement[] {
  if (trigger.triggerType !== "SCHEDULE") return [];
  const id = readId(trigger.triggerConfig.segmentId);
  const isThere = sql`EXISTS (SELECT 1 FROM segments WHERE ${inProject(ctx)} AND id = ${id})`;
  return [guard(isThere, () => new NotFound("segment", id))];
}

/** Returns the columns of a trigger. */
export function triggerColumns({
  triggerType,
  triggerConfig,
}: Trigger): Pick<WorkflowRow, "triggerType" | "triggerConfig"> {
  const config: JsonObject = { ...triggerConfig };
  return { triggerType, triggerConfig: config };
}
