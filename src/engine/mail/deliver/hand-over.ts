import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { firstLookUpAt } from "../../../core/mail/lookup";
import type { ContactSnapshot, Message } from "../../../core/mail/message";
import type { MailOutcome } from "../../../core/mail/outcome";
import type { Uncalled } from "../../../core/mail/unwritten";
import { openBatch } from "../../../db/batch";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { isAsRead } from "./as-read";
import { obstacles } from "./obstacles";
import { type Result, updateResults } from "./record";
import { type CalledFor, recordCalled } from "./record-called";

/** An email that is composed and ready for the hand-over. */
export interface Ready {
  email: EmailRow;
  message: Message;
  topicId: Id | null;
  /** The part of the contact that the row will store, so that every later attempt renders the same message. */
  contact: ContactSnapshot;
}

/** A call to the provider that is about to be made. The provider gets its id as the idempotency key. */
export interface Call {
  id: string;
  mails: Ready[];
  /** Whether the call was made before, without an answer. The provider may already know its key and its emails. */
  isRepeat: boolean;
}

/** The contents of the batch between two rounds of calls. */
export interface Between {
  /** The results of the previous round. */
  called: CalledFor;
  /** Mails that the previous hand-over left out, because they must not be sent or another consumer has them. */
  refused: Ready[];
  /** Emails that end without a call. */
  ended: Result[];
  /** The calls of the next round. */
  next: Call[];
  /** The real time of the hand-over, even in a project with a test clock. */
  handedAt: number;
}

/**
 * Runs the batch between two rounds of provider calls. It records the last round's results, ends the mail refused in
 * that round, and hands the next round over, except for mail that must not be sent. Returns the ids of the emails that
 * were handed over, and the refused emails.
 *
 * The hand-over is the only step from QUEUED to SENDING, immediately before the call. It requires that the row has not
 * changed since it was read, so when two consumers have composed the same email, only one gets it. It also checks
 * opt-outs, at the last moment. Whenever this Worker dies, at most one round is uncertain.
 *
 * The outcome of refused mail is written with the next batch, because it needs a dozen statements and few rounds have
 * such mail. Until then the row of the mail is unchanged, and a consumer that reads it again refuses the mail again.
 *
 * A result is written only to an email that is still in the same round. The sweep keeps the round of an email that it
 * gives up, so a late result still counts. If the email was handed over again meanwhile, its round differs, and the
 * late result matches nothing.
 */
export async function recordAndHand(
  ctx: Context,
  { called, refused, ended, next, handedAt }: Between,
): Promise<{ handed: Set<Id>; refused: Ready[] }> {
  const at = ctx.clock().getTime();
  const batch = openBatch(ctx);
  const judge = recordCalled(ctx, batch, called, at);
  batch.addAll(updateRefused(ctx, refused, at));
  batch.addAll(updateResults(ctx, { results: ended, where: isAsRead(at), at }));
  const handing = next.length > 0 ? batch.add(updateHanded(ctx, next, { at, handedAt })) : null;
  if (next.length > 0) batch.recognise(sql`EXISTS (${selectHanded(ctx, next, handedAt)})`);
  // Without a hand-over, the batch only records results. A result matches its round and clears it, so a second run
  // finds nothing.
  else batch.mayRepeat();
  if (ctx.mailer.idempotencyWindowMs > 0) {
    for (const call of next) if (call.mails.length > 1 && !call.isRepeat) batch.add(insertRound(ctx, call, at));
  }
  await batch.commit();
  await judge();
  const handed = new Set(handing?.all.map(({ id }) => id));
  return { handed, refused: next.flatMap(freshOf).filter(({ email }) => !handed.has(email.id)) };
}

/**
 * Returns the emails that must be checked before they are handed over. A repeated call with several emails must stay
 * identical, and its emails were checked the first time.
 */
function freshOf({ mails, isRepeat }: Call): Ready[] {
  return isRepeat && mails.length > 1 ? [] : mails;
}

/**
 * Stores a call with several emails: the ids of the emails that this batch has handed over, in the order of the call.
 */
function insertRound(ctx: Context, { id, mails }: Call, at: number): Statement {
  return statement(
    sql`INSERT INTO rounds (project_id, id, provider, emails, handed_at)
      SELECT ${ctx.project.number}, ${id}, ${ctx.mailer.name}, json_group_array(e.id ORDER BY r.key), ${at}
      FROM json_each(${JSON.stringify(mails.map(({ email }) => email.id))}) r
      CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value AND e.round = ${id}
        AND e.status = 'SENDING'
      HAVING count(*) > 1`,
  );
}

/**
 * Ends refused mail. An email that another consumer has taken or ended meanwhile no longer matches, and is left alone.
 */
function updateRefused(ctx: Context, refused: Ready[], at: number): Statement[] {
  if (refused.length === 0) return [];
  return obstacles(ctx).flatMap(({ isThere, outcome, error }) => {
    const results = refused.map(({ email, message, topicId }) => ({
      ...resultOf(email, outcome(email.uncertainSince)),
      ...{ type: message.type, topicId },
    }));
    return updateResults(ctx, { results, where: sql`${isAsRead(at)} AND ${isThere}`, at, error });
  });
}

/** Returns a result for an email that has not been handed over since it was read. */
export function resultOf({ id, projectId, campaignId, round }: EmailRow, outcome: MailOutcome): Result {
  return { emailId: id, projectId, campaignId, round, ...outcome };
}

/**
 * Hands emails over. `due_at` does not change: sweeps still find the emails, but leave them alone until the lease has
 * ended.
 */
function updateHanded(
  ctx: Context,
  next: Call[],
  { at, handedAt }: { at: number; handedAt: number },
): Statement<{ id: Id }> {
  const items = JSON.stringify(
    next.flatMap((call) => {
      const isFresh = freshOf(call).length > 0;
      return call.mails.map(({ email, message, topicId, contact }) => ({
        ...{ emailId: email.id, projectId: email.projectId, round: email.round ?? undefined, call: call.id },
        ...{ subject: message.subject, contact, type: message.type, topicId: topicId ?? undefined, isFresh },
      }));
    }),
  );
  const lookUpAt = ctx.mailer.lookUp === undefined ? null : firstLookUpAt(handedAt);
  const isStopped = sql.join(
    obstacles(ctx).map(({ isThere }) => isThere),
    sql` OR `,
  );
  return statement(
    sql`UPDATE emails AS e SET status = 'SENDING', round = r.value->>'call', handed_at = ${handedAt}, provider = ${ctx.mailer.name},
        attempts = attempts + 1, abandonments = 0, look_up_at = ${lookUpAt}, look_ups = 0, subject = r.value->>'subject',
        contact = coalesce(contact, r.value->'contact')
      FROM json_each(${items}) r
      WHERE ${isAsRead(at)} AND NOT (r.value->>'isFresh' AND (${isStopped}))
      RETURNING id`,
    columns({ id: asId }),
    { again: selectHanded(ctx, next, handedAt) },
  );
}

/** Selects the emails that a batch handed over for these calls at this time. */
function selectHanded(ctx: Context, next: Call[], handedAt: number): SQL {
  const items = JSON.stringify(next.flatMap(({ id, mails }) => mails.map(({ email }) => [email.id, id])));
  return sql`SELECT e.id FROM json_each(${items}) r
    CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value->>0
    WHERE e.round = r.value->>1 AND e.status = 'SENDING' AND e.handed_at = ${handedAt}`;
}

/** Returns the emails of calls that were not made, because their hand-over failed or the provider accepts no more. */
export function uncalledOf(next: Call[], handedAt: number): Uncalled[] {
  return next.flatMap(({ id, isRepeat, mails }) =>
    mails.map(({ email: { id: emailId, projectId, uncertainSince } }) => ({
      ...{ projectId, emailId, call: id, isRepeat, handedAt, uncertainSince },
    })),
  );
}
