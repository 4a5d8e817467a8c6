import { z } from "zod";
import { nextTick } from "../../../core/workflows/schedule";
import { BadBackup } from "./bad-backup";
import type { Row } from "./read-part";

const Schedule = z.object({
  cron: z.string().refine((cron) => nextTick(cron, new Date(0)) !== null),
  segmentId: z.guid(),
});

/** The trigger of a workflow as its row stores it. */
const StoredTrigger = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("EVENT"),
    config: z.object({ eventName: z.string().nullable(), publicEvents: z.boolean() }),
  }),
  z.object({ type: z.literal("MANUAL"), config: z.object({}) }),
  z.object({ type: z.literal("SCHEDULE"), config: Schedule }),
]);

/**
 * Returns the row of a workflow, or throws BadBackup if its trigger cannot be read. The sweep of schedules reads the
 * triggers of many projects at once, so one unreadable trigger would stop it for all of them.
 */
export function checkedWorkflow(row: Row): Row {
  const { success, data: trigger } = StoredTrigger.safeParse({
    type: row.trigger_type,
    config: readJson(row.trigger_config),
  });
  if (!success) throw new BadBackup("A workflow has a trigger that cannot be read.");
  const isDue = row.next_tick_at !== null && row.next_tick_at !== undefined;
  if (isDue && (trigger.type !== "SCHEDULE" || typeof row.next_tick_at !== "number")) {
    throw new BadBackup("A workflow has a next tick that does not fit its trigger.");
  }
  return row;
}

function readJson(text: Row[string] | undefined): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
