import { sql } from "drizzle-orm";
import { firstIdAt } from "../../core/ids";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asNumber, asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { mostCounted } from "./database-state";

const mostPaused = 100;

/** The state of all projects, read from the control database. */
export interface ControlState {
  projects: number;
  disabledProjects: number;
  /** Projects whose marketing mail is paused because of their reputation. */
  pausedProjects: { id: string; name: string; reason: string }[];
  /** For each queue, the number of messages that it gave up on within the last day. */
  deadLetters: { queue: string; messages: number }[];
}

/** Reads the control database in one round trip. */
export async function controlState(platform: Platform): Promise<ControlState> {
  const since = platform.realClock().getTime() - dayMs;
  const batch = openBatch(platform, platform.control);
  const projects = batch.add(
    statement(
      sql`SELECT count(*) AS projects, coalesce(sum(disabled), 0) AS disabled
        FROM (SELECT disabled FROM projects WHERE deleted_at IS NULL LIMIT ${maxRowsPerStatement})`,
      columns({ projects: asNumber, disabled: asNumber }),
    ),
  );
  const paused = batch.add(
    statement(
      sql`SELECT id, name, sending_paused_reason AS reason
        FROM (SELECT * FROM projects WHERE deleted_at IS NULL LIMIT ${maxRowsPerStatement})
        WHERE sending_paused_at IS NOT NULL AND sending_paused_reason IS NOT NULL LIMIT ${mostPaused}`,
      columns({ id: asText, name: asText, reason: asText }),
    ),
  );
  const dead = batch.add(
    statement(
      sql`SELECT queue, count(*) AS messages
        FROM (SELECT queue FROM dead_letters WHERE id >= ${firstIdAt(since)} LIMIT ${mostCounted}) GROUP BY queue`,
      columns({ queue: asText, messages: asNumber }),
    ),
  );
  await batch.commit();
  const { projects: all, disabled } = projects.one;
  return { projects: all, disabledProjects: disabled, pausedProjects: paused.all, deadLetters: dead.all };
}
