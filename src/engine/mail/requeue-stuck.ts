import { type SQL, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { outcomeOfAbandoned } from "../../core/mail/outcome";
import { hourMs } from "../../core/time";
import { backoffInSql, type Doubling } from "../../db/backoff";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { type Statement, select, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { maxSweptRows, sweepDatabases } from "../../platform/sweep";
import { announceGraceMs, emailsPerMessage } from "./announce";
import { updateResults } from "./record";

/** Between two announcements of an email that nobody comes for. */
const announceBackoff: Doubling = { firstMs: announceGraceMs, growth: 2, maxMs: hourMs };

/**
 * The sweep under lost messages and dead consumers, over all projects. It only turns rows back and announces them;
 * what it announces it also pushes out, twice as far each time, so that a long outage does not flood the queue.
 */
export function requeueStuck(platform: Platform): Promise<void> {
  return sweepDatabases(platform, async (db) => {
    const settled = await settleAbandoned(platform, db);
    const announced = await announceLost(platform, db);
    return Math.max(settled, announced);
  });
}

/** Claimed, and the lease is over. A holder that was only slow keeps its claim and may still say how it went. */
async function settleAbandoned(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const abandoned = await select(
    db,
    sql`SELECT id, claim, provider, handed_at, uncertain_since, abandonments FROM emails INDEXED BY ix_emails_sending
      WHERE status = 'SENDING' AND lease_until <= ${now} ORDER BY lease_until LIMIT ${maxSweptRows}`,
    columns({
      id: asText,
      claim: asText,
      provider: orNull(asText),
      handedAt: orNull(asNumber),
      uncertainSince: orNull(asNumber),
      abandonments: asNumber,
    }),
  );
  if (abandoned.length === 0) return 0;
  const results = abandoned.map(({ id, claim, provider, ...held }) => ({
    emailId: id,
    claim,
    ...outcomeOfAbandoned({
      ...held,
      idempotencyWindowMs: provider === platform.mailer.name ? platform.mailer.idempotencyWindowMs : 0,
      now,
    }),
  }));
  const isUnchanged = sql`e.claim = r.value->>'claim' AND e.status = 'SENDING' AND e.lease_until <= ${now}`;
  const batch = openBatch({ ...platform, db });
  batch.add(updateAbandonments(results, isUnchanged));
  batch.addAll(updateResults({ results, where: isUnchanged, at: now }));
  await batch.commit();
  return abandoned.length;
}

/** Before the results, which forget that a row was handed over. */
function updateAbandonments(results: { emailId: string; claim: string }[], where: SQL): Statement {
  return statement(
    sql`UPDATE emails AS e SET abandonments = abandonments + 1 FROM json_each(${JSON.stringify(results)}) r
      WHERE e.id = r.value->>'emailId' AND e.handed_at IS NULL AND ${where}`,
  );
}

/** Queued, due, and nobody came: the message was lost. */
async function announceLost(platform: Platform, db: Db): Promise<number> {
  const now = platform.now.getTime();
  const batch = openBatch({ ...platform, db });
  const lost = batch.add(
    statement(
      sql`UPDATE emails SET announcements = announcements + 1,
          next_announce_at = ${now} + ${backoffInSql(announceBackoff, sql`announcements`)}
        WHERE id IN (SELECT id FROM emails INDEXED BY ix_emails_queued
          WHERE status = 'QUEUED' AND next_announce_at <= ${now} ORDER BY next_announce_at LIMIT ${maxSweptRows})
        RETURNING id, project_id`,
      columns({ id: asText, projectId: asText }),
    ),
  );
  await batch.commit();
  const byProject = Map.groupBy(lost.all, ({ projectId }) => projectId);
  const nudges = [...byProject].flatMap(([projectId, emails]) =>
    chunksOf(emails, emailsPerMessage).map((chunk) => ({
      job: { type: "mail.deliver" as const, projectId, emailIds: chunk.map(({ id }) => id) },
    })),
  );
  await platform.enqueue(nudges);
  return lost.count;
}
