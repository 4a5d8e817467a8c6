import { sql } from "drizzle-orm";
import { isAtHome } from "../../db/at-home";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { type Context, clockOf, type Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";
import { updateSnoozed } from "./subscription";

const endedSnoozes = (now: Date, clock: number) =>
  sql`FROM contacts INDEXED BY ix_contacts_snoozed WHERE clock = ${clock} AND snoozed_until <= ${now.getTime()}
    AND ${isAtHome()}`;

export const hasEndedSnoozes: IsDue = ({ now }) => exists(endedSnoozes(now, 0));

/**
 * Sweeps all projects for contacts whose snooze has ended, and subscribes them. The batch that ends the snoozes also
 * selects them, so a crash never leaves a batch half done, and two concurrent sweeps never end the same snooze.
 */
export function endSnoozes(platform: Platform): Promise<void> {
  return sweepDatabases(platform, (db) => endDue(platform, db, 0));
}

/** Ends the snoozes of a project with its own clock, at the time of that clock. */
export async function endSnoozesOf(ctx: Context): Promise<void> {
  await endDue(ctx, ctx.db, clockOf(ctx));
}

async function endDue(platform: Platform, db: Db, clock: number): Promise<number> {
  const now = platform.now.getTime();
  const who = sql`(project_id, id) IN (SELECT project_id, id ${endedSnoozes(platform.now, clock)}
    ORDER BY snoozed_until LIMIT ${maxSweptRows})`;
  const { events, contacts } = updateSnoozed(platform, { who, at: now });
  const batch = openBatch(platform, db);
  batch.add(events);
  const ended = batch.add(contacts);
  await batch.commit();
  return ended.count;
}
