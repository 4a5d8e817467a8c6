import { sql } from "drizzle-orm";
import type { Timed } from "../../../engine/clock/timed";
import { queueDueTicksOf } from "./queue-due";

/** Ticks of scheduled workflows. */
export const timedTicks: Timed = {
  name: "schedules of workflows",
  isDue: ({ project, clock }) => sql`EXISTS (SELECT 1 FROM workflows INDEXED BY ix_workflows_tick
    WHERE clock = ${project.number} AND next_tick_at <= ${clock().getTime()} AND project_id = ${project.number})`,
  settle: queueDueTicksOf,
  nextAt: ({ project, clock }) => sql`SELECT min(next_tick_at) FROM workflows INDEXED BY ix_workflows_tick
    WHERE clock = ${project.number} AND next_tick_at > ${clock().getTime()} AND project_id = ${project.number}`,
};
