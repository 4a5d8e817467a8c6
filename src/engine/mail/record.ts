import { type SQL, sql } from "drizzle-orm";
import type { Message } from "../../core/mail/message";
import { ended, type Outcome } from "../../core/mail/outcome";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { insertEmailEvents } from "../events/email-events";
import { updateUsageOfUnsent } from "../projects/monthly-usage";
import { announceGraceMs } from "./announce";
import { leaseMs } from "./claim";
import { updateReported } from "./report";
import { contactGone, whyWithheld } from "./withhold";

/** What became of one email. */
export interface Result extends Outcome {
  emailId: string;
}

/** An email that is composed and about to be handed over. */
export interface Ready {
  email: EmailRow;
  message: Message;
}

/**
 * One batch between two rounds of provider calls: writes down how the last round went, withholds what may not go out,
 * and marks the rest of the next one as handed. So at most one round is ever uncertain, whenever this worker dies, and
 * who opts out is asked at the last moment. Returns the ids that may be handed over: those whose claim still holds.
 */
export async function recordAndHand(
  ctx: Context,
  claim: string,
  results: Result[],
  next: Ready[],
): Promise<Set<string>> {
  const at = ctx.clock().getTime();
  // A claim that still stands in a row the sweep has turned back says that nobody took it since: what we know counts.
  const isMine = sql`${ofProject(ctx)} AND e.claim = ${claim} AND e.status IN ('SENDING', 'QUEUED', 'UNKNOWN')`;
  const batch = openBatch(ctx);
  batch.addAll(updateResults({ results, where: isMine, at }));
  for (const { emailId, reports } of results) {
    for (const report of reports) batch.addAll(updateReported(ctx, emailId, report, ctx.mailer.name));
  }
  batch.addAll(updateCancelled(ctx, claim, next, at));
  batch.addAll(updateWithheld(ctx, claim, next, at));
  const handed = next.length > 0 ? batch.add(updateHanded(ctx, claim, next, at)) : null;
  await batch.commit();
  return new Set(handed?.all.map(({ id }) => id));
}

/**
 * The tenant condition on `e`, kept out of the planner's sight: it would walk every email of the project and look each
 * one up in the list, where the ids of the list lead straight to their rows.
 */
function ofProject(ctx: Context): SQL {
  return sql`+e.project_id = ${ctx.project.id}`;
}

/** Those whose contacts were deleted since. */
function updateCancelled(ctx: Context, claim: string, next: Ready[], at: number): Statement[] {
  const results = next.map(({ email }) => ({
    emailId: email.id,
    ...ended("CANCELLED", contactGone, email.uncertainSince),
  }));
  const isGone = sql`NOT EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = ${ctx.project.id} AND c.id = e.contact_id)`;
  return updateResults({ results, where: sql`${isReady(ctx, claim)} AND ${isGone}`, at });
}

/** Those whose recipients have left since: a claim may be minutes old, and a complaint may be among its results. */
function updateWithheld(ctx: Context, claim: string, next: Ready[], at: number): Statement[] {
  const results = next.map(({ email }) => ({ emailId: email.id, ...ended("SUPPRESSED", "", email.uncertainSince) }));
  const optedOutAt = sql`(SELECT c.opted_out_at FROM contacts c WHERE c.project_id = ${ctx.project.id}
    AND c.id = e.contact_id)`;
  const error = whyWithheld(ctx, { type: sql`e.type`, email: sql`e.to_email`, optedOutAt });
  return updateResults({ results, where: sql`${isReady(ctx, claim)} AND ${error} IS NOT NULL`, at, error });
}

function isReady(ctx: Context, claim: string): SQL {
  return sql`${ofProject(ctx)} AND e.claim = ${claim} AND e.status = 'SENDING'`;
}

function updateHanded(ctx: Context, claim: string, next: Ready[], at: number): Statement<{ id: string }> {
  const items = JSON.stringify(next.map(({ email, message }) => ({ emailId: email.id, subject: message.subject })));
  return statement(
    sql`UPDATE emails AS e SET handed_at = ${at}, lease_until = ${at + leaseMs}, provider = ${ctx.mailer.name},
        attempts = attempts + 1, subject = r.value->>'subject'
      FROM json_each(${items}) r
      WHERE e.id = r.value->>'emailId' AND ${isReady(ctx, claim)}
      RETURNING id`,
    columns({ id: asText }),
  );
}

/** Results, and the emails that they are written to. */
interface WrittenResults {
  results: (Result & { claim?: string })[];
  /** A condition on the email `e` and its item `r`. */
  where: SQL;
  at: number;
  /** The reason, where only the database knows it. */
  error?: SQL;
}

/**
 * The statements that write results down, for one batch; none without results. The events go first, and the usage that
 * is given back, as both ask for the state before the change: so a repeat adds nothing.
 */
export function updateResults({ results, where, at, error = sql`r.value->>'error'` }: WrittenResults): Statement[] {
  if (results.length === 0) return [];
  const written = results.map((result) => itemOf(result, at));
  const items = JSON.stringify(written);
  const isUnsent = results.some(({ status }) => status === "FAILED" || status === "SUPPRESSED");
  return [
    ...(written.some(({ event }) => event !== null) ? [insertEmailEvents({ items, where, at })] : []),
    ...(isUnsent ? [updateUsageOfUnsent(items, where)] : []),
    statement(
      sql`UPDATE emails AS e SET status = r.value->>'status', error = ${unlessErased(error)},
          provider_message_id = coalesce(r.value->>'providerMessageId', provider_message_id),
          sent_at = coalesce(r.value->>'sentAt', sent_at), uncertain_since = r.value->>'uncertainSince',
          next_attempt_at = r.value->>'retryAt', next_announce_at = r.value->>'announceAt',
          lease_until = NULL, handed_at = NULL
        FROM json_each(${items}) r
        WHERE e.id = r.value->>'emailId' AND ${where}`,
    ),
  ];
}

/** What a provider says may name its recipient. An address is only ever empty in an email whose contact was erased. */
function unlessErased(error: SQL): SQL {
  return sql`CASE WHEN e.to_email <> '' OR r.value->>'status' = 'CANCELLED' THEN ${error} END`;
}

function itemOf(result: Result & { claim?: string }, at: number) {
  const { emailId, claim, status, error, providerMessageId, retryAt, uncertainSince } = result;
  return {
    emailId,
    claim,
    status,
    error,
    providerMessageId,
    uncertainSince,
    retryAt,
    announceAt: retryAt === null ? null : retryAt + announceGraceMs,
    sentAt: status === "SENT" ? at : null,
    event: status === "SENT" ? "email.sent" : status === "FAILED" ? "email.failed" : null,
    eventData: status === "FAILED" ? { reason: error } : {},
  };
}
