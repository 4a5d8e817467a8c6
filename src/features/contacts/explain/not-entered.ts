import { sql } from "drizzle-orm";
import { memberOf } from "../../../core/audience/condition";
import { type Id, publicId, timeOf } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import type { ScheduleTrigger } from "../../../core/workflows/trigger";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectFirst } from "../../../db/statement";
import type { ContactRow, WorkflowRow } from "../../../db/tables";
import { judge } from "../../../engine/audience/judge";
import { loadSegments } from "../../../engine/audience/named-segments";
import { triggerOf } from "../../../engine/workflows/graph";
import type { Context } from "../../../platform/context";
import type { Because, ContactExplanation } from "./schema";

/**
 * Explains why a contact has no execution of a workflow. Executions are deleted 90 days after their end, so the contact
 * may have been in the workflow before.
 */
export async function whyNotEntered(ctx: Context, contact: ContactRow, row: WorkflowRow): Promise<ContactExplanation> {
  const source = { type: "workflow" as const, id: publicId(row.id) };
  const notEntered: Because = { at: null, code: "not_entered", message: "The contact is not in the workflow", source };
  const disabled: Because[] = row.enabled
    ? []
    : [
        {
          at: null,
          code: "workflow_disabled",
          message: "The workflow is disabled: contacts do not enter it automatically",
          source,
        },
      ];
  const trigger = triggerOf(row);
  const because = [notEntered, ...disabled];
  if (trigger.triggerType === "EVENT" && trigger.triggerConfig.eventName !== null) {
    because.push(await whyNoStart(ctx, contact.id, trigger.triggerConfig.eventName));
  }
  if (trigger.triggerType === "SCHEDULE") {
    const tick = await whyNoTick(ctx, contact, row.nextTickAt, trigger.triggerConfig);
    const isComing = row.enabled && tick.code === "next_tick";
    return {
      verdict: isComing ? "UNKNOWN" : "NOT_RECEIVED",
      because: isComing ? [tick, notEntered] : [...because, tick],
    };
  }
  return { verdict: "NOT_RECEIVED", because };
}

async function whyNoStart(ctx: Context, contactId: Id, name: string): Promise<Because> {
  const last = await selectFirst(
    ctx.db,
    sql`SELECT e.id FROM events e INDEXED BY ix_events_name
      WHERE ${inProject(ctx, "e")} AND e.name = ${name} AND e.contact_id = ${contactId} ORDER BY e.id DESC LIMIT 1`,
    columns({ id: asId }),
  );
  const source = { type: "event" as const, id: name };
  if (last === null) {
    const message = `The contact has no event ${name}, which starts the workflow`;
    return { at: null, code: "trigger_not_seen", message, source };
  }
  const message =
    `The contact has the event ${name}, but it did not start the workflow: the workflow was disabled then, had another ` +
    "trigger, ignores events sent with public keys, or caused the event itself";
  return { at: iso(timeOf(last.id)), code: "not_entered", message, source };
}

async function whyNoTick(
  ctx: Context,
  contact: ContactRow,
  nextTickAt: number | null,
  { segmentId }: ScheduleTrigger,
): Promise<Because> {
  const condition = memberOf(segmentId);
  const segments = await loadSegments(ctx, condition);
  const { matches } = await judge(ctx, contact, { condition, segments, now: ctx.now });
  const source = { type: "segment" as const, id: segmentId };
  if (!matches) {
    const message = "The contact is not in the segment whose members enter the workflow";
    return { at: null, code: "not_in_segment", message, source };
  }
  const message = `The contact is in the segment, and enters the workflow at its next start, ${isoOrNull(nextTickAt)}`;
  return { at: isoOrNull(nextTickAt), code: "next_tick", message, source };
}
