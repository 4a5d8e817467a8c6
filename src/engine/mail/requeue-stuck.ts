import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { outcomeOfAbandoned } from "../../core/mail/outcome";
import { hourMs } from "../../core/time";
import type { Db } from "../../db/client";
import { commit, query, statement } from "../../db/commit";
import type { Platform } from "../../platform/context";
import { announceGraceMs, emailsPerMessage } from "./announce";
import { resultStatements } from "./results";

/** One statement takes so many, and one sweep does so many rounds; the next tick goes on. */
const limit = 500;
const rounds = 10;

/**
 * The sweep under lost messages and dead consumers, over all projects. It only turns rows back and announces them;
 * what it announces it also pushes out, twice as far each time, so that a long outage does not flood the queue.
 */
export async function requeueStuck(platform: Platform): Promise<void> {
  for (const db of platform.databases) {
    for (let round = 0; round < rounds; round++) {
      const settled = await settleAbandoned(platform, db);
      const announced = await announceLost(platform, db);
      if (Math.max(settled, announced) < limit) break;
    }
  }
}

/** Claimed, and the lease is over. A holder that was only slow keeps its claim and may still say how it went. */
async function settleAbandoned(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const abandoned = await query(
    db,
    sql`SELECT id, claim, provider, handed_at, uncertain_since, abandonments FROM emails INDEXED BY ix_emails_sending
      WHERE status = 'SENDING' AND lease_until <= ${now} ORDER BY lease_until LIMIT ${limit}`,
  );
  const results = abandoned.map((row) => ({
    emailId: String(row.id),
    claim: String(row.claim),
    ...outcomeOfAbandoned({
      handedAt: numberOrNull(row.handed_at),
      uncertainSince: numberOrNull(row.uncertain_since),
      abandonments: Number(row.abandonments),
      idempotencyWindowMs: row.provider === platform.mailer.name ? platform.mailer.idempotencyWindowMs : 0,
      now,
    }),
  }));
  const isUnchanged = sql`e.claim = r.value->>'claim' AND e.status = 'SENDING' AND e.lease_until <= ${now}`;
  if (results.length > 0) {
    await commit(db, [
      countAbandonments(db, results, isUnchanged),
      ...resultStatements(db, { results, where: isUnchanged, at: now }),
    ]);
  }
  return abandoned.length;
}

/** Before the results, which forget that a row was handed over. */
function countAbandonments(db: Db, results: { emailId: string; claim: string }[], where: SQL): D1PreparedStatement {
  return statement(
    db,
    sql`UPDATE emails AS e SET abandonments = abandonments + 1 FROM json_each(${JSON.stringify(results)}) r
      WHERE e.id = r.value->>'emailId' AND e.handed_at IS NULL AND ${where}`,
  );
}

/** Queued, due, and nobody came: the message was lost. */
async function announceLost(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const lost = await query(
    db,
    sql`UPDATE emails SET announcements = announcements + 1, next_announce_at = ${now} + ${pushedOutMs()}
      WHERE id IN (SELECT id FROM emails INDEXED BY ix_emails_queued
        WHERE status = 'QUEUED' AND next_announce_at <= ${now} ORDER BY next_announce_at LIMIT ${limit})
      RETURNING id, project_id`,
  );
  const byProject = Map.groupBy(lost, (row) => String(row.project_id));
  const nudges = [...byProject].flatMap(([projectId, rows]) =>
    chunksOf(rows, emailsPerMessage).map((chunk) => ({
      job: { type: "mail.deliver" as const, projectId, emailIds: chunk.map((row) => String(row.id)) },
    })),
  );
  await platform.enqueue(nudges);
  return lost.length;
}

/** 1 minute, 2, 4 … up to an hour. */
function pushedOutMs(): SQL {
  return sql`min(${announceGraceMs} << min(announcements, 6), ${hourMs})`;
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}
