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

/** An email that is composed and ready to be handed over. */
export interface Ready {
  email: EmailRow;
  message: Message;
  topicId: Id | null;
  /** The part of the contact that its row will store, so that every later try renders the same. */
  contact: ContactSnapshot;
}

/** A call to the provider that is about to be made. Its id is the provider's idempotency key. */
export interface Call {
  id: string;
  mails: Ready[];
  /** It was made before, without an answer: its key is known there, and so are its mails. */
  isRepeat: boolean;
}

/** The writes of one batch between two rounds of calls. */
export interface Between {
  /** The results of the previous round. */
  called: CalledFor;
  /** Mails that the hand-over before this one passed over: they may not be sent, or somebody else has them. */
  refused: Ready[];
  /** Emails that end without a call. */
  ended: Result[];
  /** The calls of the next round. */
  next: Call[];
  /** When they are handed over, by the real clock. */
  handedAt: number;
}

/**
 * Runs the batch between two rounds of provider calls: records the last round's results, ends what was refused in it,
 * and hands the next round over, but for mail that may not be sent. Returns the ids that may be called for, and who was
 * refused.
 *
 * The hand-over gives an email to one consumer: it is the only step from QUEUED to SENDING, right before the call. It
 * requires the row as it was read, so of two consumers with the same composed email one gets it; and opt-outs are
 * checked at the last moment. Whenever this Worker dies, at most one round is uncertain.
 *
 * How refused mail ends is written with the next batch: it needs a dozen statements, and hardly a round has such mail.
 * Until then it stays as it was, and a consumer that reads it again refuses it again.
 *
 * A result is written only to its own round. A result that comes after the sweep has given the round up still counts;
 * if the email was handed over again meanwhile, its round is another, and the result matches nothing.
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
  // A result asks for its round and takes it away, so that a second run finds nothing. So does a hand-over of nobody.
  else batch.mayRepeat();
  if (ctx.mailer.idempotencyWindowMs > 0) {
    for (const call of next) if (call.mails.length > 1 && !call.isRepeat) batch.add(insertRound(ctx, call, at));
  }
  await batch.commit();
  await judge();
  const handed = new Set(handing?.all.map(({ id }) => id));
  return { handed, refused: next.flatMap(freshOf).filter(({ email }) => !handed.has(email.id)) };
}

/** A call that is repeated is the same as before, and what it may hold was asked then. */
function freshOf({ mails, isRepeat }: Call): Ready[] {
  return isRepeat && mails.length > 1 ? [] : mails;
}

/** Stores a call of several emails, in its order: those that were handed over in it by the same batch. */
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
 * Ends mail that was refused. Mail that another consumer has taken or ended meanwhile is not as it was read, and is
 * left alone.
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

/** A result for an email that was not handed over since it was read. */
export function resultOf({ id, projectId, campaignId, round }: EmailRow, outcome: MailOutcome): Result {
  return { emailId: id, projectId, campaignId, round, ...outcome };
}

/** `due_at` stays: a sweep before the end of the lease looks again when it ends. */
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

/** The emails that a batch has handed over for these calls, at this moment. */
function selectHanded(ctx: Context, next: Call[], handedAt: number): SQL {
  const items = JSON.stringify(next.flatMap(({ id, mails }) => mails.map(({ email }) => [email.id, id])));
  return sql`SELECT e.id FROM json_each(${items}) r
    CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value->>0
    WHERE e.round = r.value->>1 AND e.status = 'SENDING' AND e.handed_at = ${handedAt}`;
}

/** The emails of calls that are not made, because their hand-over failed or the provider takes no more of them. */
export function uncalledOf(next: Call[], handedAt: number): Uncalled[] {
  return next.flatMap(({ id, isRepeat, mails }) =>
    mails.map(({ email: { id: emailId, projectId, uncertainSince } }) => ({
      ...{ projectId, emailId, call: id, isRepeat, handedAt, uncertainSince },
    })),
  );
}
