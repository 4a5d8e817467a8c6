import { type SQL, sql } from "drizzle-orm";
import { lookUpAgainAt } from "../../../core/mail/lookup";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { asFlag, asId, asNumber, asPriority, asText, columns, orNull } from "../../../db/rows";
import { select } from "../../../db/statement";
import { forProject, type Platform } from "../../../platform/context";
import { exists, type IsDue } from "../../../platform/due";
import { reasonOf } from "../../../platform/log";
import { allAccounts, type MailAccount, type MailAccounts, through } from "../../../platform/mailer/accounts";
import { sweepAtHome } from "../../../platform/sweep-at-home";
import { findProject } from "../../projects/project";
import { settleLookedUp, type Unknown, updateLookUps } from "./settle-looked-up";

/**
 * The maximum number of lookups at a provider per tick and database. A lookup needs no permit, because it hands nothing
 * over.
 */
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
 * Selects the mail of one provider whose lookup is due. Only the provider that was called can be asked about an email,
 * so the index is sorted by provider.
 */
const dueLookUps = (provider: string, now: Date) => sql`FROM emails INDEXED BY ix_emails_look_up
  WHERE status = 'UNKNOWN' AND provider = ${provider} AND look_up_at <= ${now.getTime()}`;

export const hasDueLookUps: IsDue = ({ accounts, now }) => {
  const askable = askableOf(accounts).map(({ mailer }) => exists(dueLookUps(mailer.name, now)));
  return askable.length === 0 ? sql`false` : sql.join(askable, sql` OR `);
};

function askableOf(accounts: MailAccounts): MailAccount[] {
  return allAccounts(accounts).filter(({ mailer }) => mailer.lookUp !== undefined);
}

/**
 * Sweeps mail whose outcome is unknown, and asks its provider about it, unless the provider cannot be asked. One lookup
 * covers all emails of a call. Mail that the provider has becomes SENT. Mail that it certainly does not have is queued
 * again, in the same row.
 *
 * While the provider is asked, an email may change: a report may arrive, a person may retry the mail, or another tick
 * may settle it. So each statement requires the round of the lookup, and changes only mail whose outcome is still
 * unknown. Mail that is queued again keeps its round, because the answer to the first call may still arrive, and
 * because a cancelled campaign recognises its mail by the round.
 */
export async function lookUpUnknown(platform: Platform): Promise<void> {
  for (const account of askableOf(platform.accounts)) await lookUpAt(through(platform, account));
}

/** Looks up the due mail of one account's provider. */
async function lookUpAt(platform: Platform): Promise<void> {
  let isOut = false;
  const due = {
    ...{ rows: dueLookUps(platform.mailer.name, platform.now), order: ["look_up_at", "project_id", "id"] },
    key: ["project_id", "id"],
  };
  await sweepAtHome(platform, due, async (db, rows) => {
    if (isOut) return 0;
    const found = await readDue(db, rows);
    const calls = [...Map.groupBy(found, ({ projectId, round }) => `${projectId} ${round}`).values()];
    for (const mails of calls.slice(0, maxAsked)) {
      isOut = !(await lookUpCall(platform, db, mails));
      // No further call is looked up, because a provider that does not answer may take half a minute per lookup.
      if (isOut) break;
    }
    return 0;
  });
}

function readDue(db: Db, rows: SQL): Promise<Unknown[]> {
  return select(
    db,
    sql`SELECT e.project_id, e.id, e.campaign_id, e.priority, e.round, e.attempts, e.look_ups,
        e.uncertain_since AS called_at, e.is_forgotten OR e.to_email = '' AS is_gone
      FROM emails e WHERE (e.project_id, e.id) IN (${rows}) ORDER BY e.look_up_at`,
    readUnknown,
  );
}

/** Looks up one call. Returns false when the provider did not answer. */
async function lookUpCall(platform: Platform, db: Db, mails: Unknown[]): Promise<boolean> {
  const [first] = mails;
  const project = first && (await findProject(platform, first.projectId));
  const now = platform.clock().getTime();
  // A deleted project has no mail.
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

/**
 * Asks the provider for the messages of a call. Returns their ids in a map, by the public ids of the emails. Returns
 * null when the provider did not answer.
 */
async function ask({ mailer, log }: Platform, round: string): Promise<ReadonlyMap<string, string> | null> {
  try {
    return (await mailer.lookUp?.(round)) ?? null;
  } catch (error) {
    log("warn", "The mail provider could not be asked about mail with an unknown outcome", { reason: reasonOf(error) });
    return null;
  }
}
