import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { ContactSnapshot, Message } from "../../core/mail/message";
import { ended } from "../../core/mail/outcome";
import { type Batch, openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { type Result, updateResults } from "./record";
import { updateReported } from "./report";
import { contactGone, whyWithheld } from "./withhold";

/** An email that is composed and ready to be handed over. */
export interface Ready {
  email: EmailRow;
  message: Message;
  /** The part of the contact that its row will store, so that every later try renders the same. */
  contact: ContactSnapshot;
}

/** The writes of one batch between two rounds of calls. */
export interface Between {
  /** The results of the previous round's calls. */
  called: Result[];
  /** Emails that end without a call. */
  ended: Result[];
  /** The next round, and the token that identifies it. */
  next: Ready[];
  round: string;
}

/**
 * Runs the batch between two rounds of provider calls: records the last round's results, withholds mail that may not be
 * sent, and hands the rest of the next round over. Returns the ids that may be called for.
 *
 * The hand-over gives an email to one consumer: it is the only step from QUEUED to SENDING, right before the call. It
 * requires the row as it was read, so of two consumers with the same composed email one gets it; and opt-outs are
 * checked at the last moment. Whenever this Worker dies, at most one round is uncertain.
 *
 * A result is written only to its own round. A result that comes after the sweep has given the round up still counts;
 * if the email was handed over again meanwhile, its round is another, and the result matches nothing.
 */
export async function recordAndHand(ctx: Context, { called, ended, next, round }: Between): Promise<Set<Id>> {
  const at = ctx.clock().getTime();
  const batch = openBatch(ctx);
  recordCalled(ctx, batch, called, at);
  batch.addAll(updateResults(ctx, { results: ended, where: isAsRead(at), at }));
  batch.addAll(updateCancelled(ctx, next, at));
  batch.addAll(updateWithheld(ctx, next, at));
  const handed = next.length > 0 ? batch.add(updateHanded(ctx, next, { round, at })) : null;
  await batch.commit();
  return new Set(handed?.all.map(({ id }) => id));
}

/**
 * For mail of which a consumer may have died: before it is composed, its row counts the new try. The hand-over resets
 * the count. The results of the previous round are recorded first, because this Worker may die too.
 */
export async function recordAndNote(ctx: Context, called: Result[], emails: EmailRow[]): Promise<void> {
  const at = ctx.clock().getTime();
  const batch = openBatch(ctx);
  recordCalled(ctx, batch, called, at);
  if (emails.length > 0) batch.add(updateAbandonments(emails, sql`abandonments + 1`, at));
  await batch.commit();
}

/** They could not be composed, and this worker has outlived the try. */
export async function takeNoteBack(ctx: Context, emails: EmailRow[]): Promise<void> {
  const batch = openBatch(ctx);
  batch.add(updateAbandonments(emails, sql`max(0, abandonments - 1)`, ctx.clock().getTime()));
  await batch.commit();
}

function updateAbandonments(emails: EmailRow[], abandonments: SQL, at: number): Statement {
  const items = JSON.stringify(emails.map(({ id, projectId, round }) => ({ emailId: id, projectId, round })));
  return statement(
    sql`UPDATE emails AS e SET abandonments = ${abandonments} FROM json_each(${items}) r WHERE ${isAsRead(at)}`,
  );
}

function recordCalled(ctx: Context, batch: Batch, called: Result[], at: number): void {
  const isOfItsRound = sql`e.round = r.value->>'round' AND e.status IN ('SENDING', 'QUEUED', 'UNKNOWN')`;
  batch.addAll(updateResults(ctx, { results: called, where: sql`${ofItem} AND ${isOfItsRound}`, at }));
  for (const { emailId, reports } of called) {
    for (const report of reports) batch.addAll(updateReported(ctx, emailId, report, ctx.mailer.name));
  }
}

/** The email `e` of an item `r`, by its key. */
const ofItem: SQL = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'`;

/** The email was not handed over since it was read, and it is still due. */
function isAsRead(at: number): SQL {
  return sql`${ofItem} AND e.status = 'QUEUED' AND e.round IS r.value->>'round' AND e.next_attempt_at <= ${at}`;
}

/** Cancels mail whose contact was deleted since. */
function updateCancelled(ctx: Context, next: Ready[], at: number): Statement[] {
  const results = next.map(({ email }) => resultOf(email, ended("CANCELLED", contactGone, email.uncertainSince)));
  const isGone = sql`NOT EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = e.project_id AND c.id = e.contact_id)`;
  return updateResults(ctx, { results, where: sql`${isAsRead(at)} AND ${isGone}`, at });
}

/** Withholds mail whose recipients opted out since: the previous round's results may contain a complaint. */
function updateWithheld(ctx: Context, next: Ready[], at: number): Statement[] {
  const results = next.map(({ email, message }) => ({
    ...resultOf(email, ended("SUPPRESSED", "", email.uncertainSince)),
    type: message.type,
  }));
  const optedOutAt = sql`(SELECT c.opted_out_at FROM contacts c WHERE c.project_id = e.project_id
    AND c.id = e.contact_id)`;
  const error = whyWithheld(ctx, { type: sql`r.value->>'type'`, email: sql`e.to_email`, optedOutAt });
  return updateResults(ctx, { results, where: sql`${isAsRead(at)} AND ${error} IS NOT NULL`, at, error });
}

/** A result for an email that was not handed over since it was read. */
export function resultOf({ id, projectId, round }: EmailRow, outcome: Omit<Result, "emailId" | "projectId" | "round">) {
  return { emailId: id, projectId, round, ...outcome };
}

/** `due_at` stays: a sweep before the end of the lease looks again when it ends. */
function updateHanded(
  ctx: Context,
  next: Ready[],
  { round, at }: { round: string; at: number },
): Statement<{ id: Id }> {
  const items = JSON.stringify(
    next.map(({ email, message, contact }) => ({
      ...{ emailId: email.id, projectId: email.projectId, round: email.round },
      ...{ subject: message.subject, contact },
    })),
  );
  return statement(
    sql`UPDATE emails AS e SET status = 'SENDING', round = ${round}, handed_at = ${at}, provider = ${ctx.mailer.name},
        attempts = attempts + 1, abandonments = 0, subject = r.value->>'subject',
        contact = coalesce(contact, r.value->'contact')
      FROM json_each(${items}) r
      WHERE ${isAsRead(at)}
      RETURNING id`,
    columns({ id: asId }),
  );
}
