import { sql } from "drizzle-orm";
import { lookUpAgainAt } from "../../../core/mail/lookup";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { asFlag, asId, asNumber, asPriority, asText, columns, orNull } from "../../../db/rows";
import { select } from "../../../db/statement";
import { forProject, type Platform } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { allAccounts, through } from "../../../platform/mailer/accounts";
import { maxSweptRows, sweepDatabases } from "../../../platform/sweep";
import { findProject } from "../../projects/project";
import { settleLookedUp, type Unknown, updateLookUps } from "./settle-looked-up";

/** The provider is asked so often in one tick for each database. These calls take no permit: they hand nothing over. */
const maxAsked = 10;

const readUnknown = columns({
  projectId: asNumber,
  id: asId,
  campaignId: orNull(asId),
  priority: asPriority,
  round: asText,
  attempts: asNumber,
  lookUps: asNumber,
  calledAt: asNumber,
  isGone: asFlag,
});

/**
 * The sweep over mail whose outcome is unknown, where the provider can be asked: one question for all mails of a call.
 * Mail that it has is SENT. Mail that it surely does not have is queued again, in the same row.
 *
 * Anything may happen to a mail while the provider is asked: a report, a person's retry, another tick. So each
 * statement asks for the round of the question, and changes a mail only if its outcome is still unknown. The round
 * stays in a mail that is queued again: the answer to its first call may still come, and a cancelled campaign knows its
 * mail by it.
 */
export async function lookUpUnknown(platform: Platform): Promise<void> {
  for (const account of allAccounts(platform.accounts)) {
    if (account.mailer.lookUp !== undefined) await lookUpAt(through(platform, account));
  }
}

/** The mail that the provider of one account has been called for. */
async function lookUpAt(platform: Platform): Promise<void> {
  let isOut = false;
  await sweepDatabases(platform, async (db) => {
    if (isOut) return 0;
    const due = await findDue(platform, db);
    const calls = [...Map.groupBy(due, ({ projectId, round }) => `${projectId} ${round}`).values()];
    for (const mails of calls.slice(0, maxAsked)) {
      isOut = !(await lookUpCall(platform, db, mails));
      // A provider that does not answer may take half a minute each time.
      if (isOut) break;
    }
    return 0;
  });
}

/** Mail that another provider took lies elsewhere in the index: only its own can be asked for it. */
function findDue({ mailer, now }: Platform, db: Db): Promise<Unknown[]> {
  return select(
    db,
    sql`SELECT e.project_id, e.id, e.campaign_id, e.priority, e.round, e.attempts, e.look_ups,
        e.uncertain_since AS called_at, e.is_forgotten OR e.to_email = '' AS is_gone
      FROM emails e INDEXED BY ix_emails_look_up
      WHERE e.status = 'UNKNOWN' AND e.provider = ${mailer.name} AND e.look_up_at <= ${now.getTime()}
      ORDER BY e.look_up_at LIMIT ${maxSweptRows}`,
    readUnknown,
  );
}

/** Returns whether the provider answered. */
async function lookUpCall(platform: Platform, db: Db, mails: Unknown[]): Promise<boolean> {
  const [first] = mails;
  const project = first && (await findProject(platform, first.projectId));
  const now = platform.clock().getTime();
  // The mail of a deleted project is gone with it.
  const found = project ? await ask(platform, first.round) : null;
  if (!project || found === null) {
    const batch = openBatch(platform, db);
    batch.mayRepeat();
    batch.add(updateLookUps(mails.map((mail) => ({ mail, at: lookUpAgainAt({ ...mail, now }), isCounted: false }))));
    await batch.commit();
    return !project;
  }
  await settleLookedUp(forProject(platform, project), mails, found, now);
  return true;
}

/** The messages of a call, by the public ids of their emails; null when the provider did not answer. */
async function ask({ mailer, log }: Platform, round: string): Promise<ReadonlyMap<string, string> | null> {
  try {
    return (await mailer.lookUp?.(round)) ?? null;
  } catch (error) {
    log("warn", "The mail provider could not be asked about mail of unknown outcome", { reason: reasonOf(error) });
    return null;
  }
}
