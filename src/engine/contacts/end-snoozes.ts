import { sql } from "drizzle-orm";
import type { Db } from "../../db/client";
import { commit } from "../../db/commit";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { announcements } from "../events/announce";
import { announcedColumn } from "../events/record";
import { endSnoozesOf } from "./subscription";

/** One batch takes so many, and one sweep does so many rounds; the next tick goes on. */
const limit = 500;
const rounds = 20;

/**
 * The sweep that subscribes who comes back from a snooze, over all projects. Who is due is asked inside the batch that
 * ends their snooze: a sweep that dies has done a round or not, and two at once never do the same one.
 */
export async function endSnoozes(platform: Platform): Promise<void> {
  for (const db of platform.databases) {
    for (let round = 0; round < rounds; round++) {
      if ((await endDue(platform, db)) < limit) break;
    }
  }
}

async function endDue(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const who = sql`id IN (SELECT id FROM contacts INDEXED BY ix_contacts_snoozed
    WHERE snoozed_until <= ${now} ORDER BY snoozed_until LIMIT ${limit})`;
  const [events = [], ended = []] = await commit(db, endSnoozesOf(db, { who, at: now }));
  const heard = events.filter((row) => row[announcedColumn] !== null);
  if (heard.length > 0) await announce(platform, heard);
  return ended.length;
}

async function announce(platform: Platform, heard: Record<string, unknown>[]): Promise<void> {
  const byProject = Map.groupBy(heard, (row) => String(row.project_id));
  const nudges = [...byProject].flatMap(([projectId, rows]) =>
    announcements(
      projectId,
      rows.map((row) => String(row[announcedColumn])),
    ),
  );
  try {
    await platform.enqueue(nudges);
  } catch (error) {
    platform.log("error", "Events of ended snoozes could not be announced; another sweep will", {
      events: heard.length,
      reason: reasonOf(error),
    });
  }
}
