import { type SQL, sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { type Context, clockOf, type Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows } from "../../platform/sweep";
import { sweepAtHome } from "../../platform/sweep-at-home";
import { updateSnoozed } from "./subscription";

const endedSnoozes = (now: Date, clock: number) =>
  sql`FROM contacts INDEXED BY ix_contacts_snoozed WHERE clock = ${clock} AND snoozed_until <= ${now.getTime()}`;

export const hasEndedSnoozes: IsDue = ({ now }) => exists(endedSnoozes(now, 0));

/**
 * Sweeps all projects for contacts whose snooze has ended, and subscribes them. The batch that ends the snoozes also
 * selects them, so a crash leaves nothing half done, and two concurrent sweeps never end the same snooze.
 */
export function endSnoozes(platform: Platform): Promise<void> {
  const due = { rows: endedSnoozes(platform.now, 0), order: ["snoozed_until", "rowid"], key: ["project_id", "id"] };
  return sweepAtHome(platform, due, (db, rows) => endSome(platform, db, rows));
}

/** Ends the snoozes of a project with its own clock, at the time of that clock. */
export async function endSnoozesOf(ctx: Context): Promise<void> {
  const rows = sql`SELECT project_id, id ${endedSnoozes(ctx.now, clockOf(ctx))} ORDER BY snoozed_until LIMIT ${maxSweptRows}`;
  await endSome(ctx, ctx.db, rows);
}

async function endSome(platform: Platform, db: Db, rows: SQL): Promise<number> {
  const now = platform.now.getTime();
  const who = sql`(project_id, id) IN (${rows})`;
  const { events, contacts } = updateSnoozed(platform, { who, at: now });
  const batch = openBatch(platform, db);
  batch.add(events);
  const ended = batch.add(contacts);
  await batch.commit();
  return ended.count;
}
