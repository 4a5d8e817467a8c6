import { sql } from "drizzle-orm";
import { type Id, publicId } from "../../../core/ids";
import { nextLookUpAt } from "../../../core/mail/lookup";
import { type MailOutcome, outcomeOfAbsent, outcomeOfFound } from "../../../core/mail/outcome";
import type { Priority } from "../../../core/mail/priority";
import { openBatch } from "../../../db/batch";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { updateOpen } from "../../campaigns/mark-pages";
import { announceEmails } from "../announce";
import { ofItem } from "./as-read";
import { type Result, updateResults } from "./record";
import { recordCalled } from "./record-called";

/** An email with an unknown outcome, about which its provider is asked. */
export interface Unknown {
  projectId: number;
  id: Id;
  campaignId: Id | null;
  priority: Priority;
  round: string;
  attempts: number;
  lookUps: number;
  calledAt: number;
  /** Whether the content of the email is no longer stored. */
  isGone: boolean;
}

/**
 * Records what the provider answered about the emails of a call. `found` maps the public ids of emails to the
 * provider's message ids.
 */
export async function settleLookedUp(
  ctx: Context,
  mails: Unknown[],
  found: ReadonlyMap<string, string>,
  now: number,
): Promise<void> {
  const sent: Result[] = [];
  const absent: Unknown[] = [];
  const pending: Later[] = [];
  for (const mail of mails) {
    const messageId = found.get(publicId(mail.id));
    const at = nextLookUpAt({ ...mail, now });
    if (messageId !== undefined) sent.push(settled(mail, outcomeOfFound(messageId)));
    // Mail without content cannot be sent again, so it stays unknown.
    else if (at !== null || mail.isGone) pending.push({ mail, at, isCounted: true });
    else absent.push(mail);
  }
  const batch = openBatch(ctx);
  const judge = recordCalled(ctx, batch, { results: sent, uncalled: [] }, now);
  batch.addAll(updateAbsent(ctx, absent, now));
  if (pending.length > 0) batch.add(updateLookUps(pending));
  await batch.commit();
  await judge();
  // Another consumer may have settled some of this email meanwhile. Then the message about it has no effect.
  await announceEmails(ctx, absent);
}

function settled(mail: Unknown, outcome: MailOutcome): Result {
  const { id, projectId, campaignId, round } = mail;
  return { emailId: id, projectId, campaignId, round, ...outcome, settledBy: "lookup" };
}

/**
 * Queues again the mail that the provider does not have. Before the mail changes, the pages of campaigns count it as
 * open.
 */
function updateAbsent(ctx: Context, absent: Unknown[], now: number): Statement[] {
  if (absent.length === 0) return [];
  const results = absent.map((mail) => settled(mail, outcomeOfAbsent(mail.attempts, now)));
  const where = sql`${isStillUnknown} AND NOT e.is_forgotten AND e.to_email <> ''`;
  const queued = results.filter(({ status, campaignId }) => status === "QUEUED" && campaignId !== null);
  const from = sql`json_each(${JSON.stringify(queued)}) r CROSS JOIN emails e`;
  return [...(queued.length > 0 ? [updateOpen(where, from)] : []), ...updateResults(ctx, { results, where, at: now })];
}

/** An email whose outcome stays unknown, and the time of its next lookup; null when no lookup follows. */
interface Later {
  mail: Unknown;
  at: number | null;
  /** Whether the provider answered that it does not have the mail. */
  isCounted: boolean;
}

export function updateLookUps(later: Later[]): Statement {
  const items = JSON.stringify(
    later.map(({ mail: { projectId, id, round, lookUps }, at, isCounted }) => ({
      ...{ projectId, emailId: id, round, lookUps, at, answers: isCounted ? lookUps + 1 : lookUps },
    })),
  );
  return statement(
    sql`UPDATE emails AS e SET look_up_at = r.value->>'at', look_ups = r.value->>'answers'
      FROM json_each(${items}) r WHERE ${isStillUnknown} AND e.look_ups = r.value->>'lookUps'`,
  );
}

/**
 * Matches when the email `e` of an item `r` is still in the round that was looked up, and its outcome is still unknown.
 */
const isStillUnknown = sql`${ofItem} AND e.round = r.value->>'round' AND e.status = 'UNKNOWN'`;
