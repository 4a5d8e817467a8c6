import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { ContactSnapshot, Message } from "../../core/mail/message";
import type { Outcome } from "../../core/mail/outcome";
import { endsTrust, meaningOf, type Report } from "../../core/mail/status";
import { type Batch, openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { EmailRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { announceGraceMs } from "./announce";
import { obstacles } from "./obstacles";
import { type Result, updateResults } from "./record";
import { updateDelivered, updateReported } from "./report";
import { insertBlock, judgeAsMailGoes } from "./reputation";

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
  /** The results of the previous round's calls. */
  called: Result[];
  /** Mails that the hand-over before this one passed over: they may not be sent, or somebody else has them. */
  refused: Ready[];
  /** Emails that end without a call. */
  ended: Result[];
  /** The calls of the next round. */
  next: Call[];
}

/**
 * Runs the batch between two rounds of provider calls: records the last round's results, ends what was refused in it, and
 * hands the next round over, but for mail that may not be sent. Returns the ids that may be called for, and who was refused.
 *
 * The hand-over gives an email to one consumer: it is the only step from QUEUED to SENDING, right before the call. It
 * requires the row as it was read, so of two consumers with the same composed email one gets it; and opt-outs are
 * checked at the last moment. Whenever this Worker dies, at most one round is uncertain.
 *
 * How refused mail ends is written with the next batch: it needs a dozen statements, and hardly a round has such mail. Until
 * then it stays as it was, and whoever reads it again refuses it again.
 *
 * A result is written only to its own round. A result that comes after the sweep has given the round up still counts;
 * if the email was handed over again meanwhile, its round is another, and the result matches nothing.
 */
export async function recordAndHand(
  ctx: Context,
  { called, refused, ended, next }: Between,
): Promise<{ handed: Set<Id>; refused: Ready[] }> {
  const at = ctx.clock().getTime();
  const batch = openBatch(ctx);
  const judge = recordCalled(ctx, batch, called, at);
  batch.addAll(updateRefused(ctx, refused, at));
  batch.addAll(updateResults(ctx, { results: ended, where: isAsRead(at), at }));
  const handing = next.length > 0 ? batch.add(updateHanded(ctx, next, at)) : null;
  if (ctx.mailer.idempotencyWindowMs > 0) {
    for (const call of next) if (call.mails.length > 1 && !call.isRepeat) batch.add(insertRound(ctx, call, at));
  }
  await batch.commit();
  await judge();
  const handed = new Set(handing?.all.map(({ id }) => id));
  return { handed, refused: next.flatMap(freshOf).filter(({ email }) => !handed.has(email.id)) };
}

/** The results that one batch records: those of a larger call would keep the database from all others for too long. */
const resultsAtOnce = 250;

/** Records as many results as go before those of one last batch, which are returned. */
export async function recordMost(ctx: Context, called: Result[]): Promise<Result[]> {
  let left = called;
  while (left.length > resultsAtOnce) {
    const batch = openBatch(ctx);
    const judge = recordCalled(ctx, batch, left.slice(0, resultsAtOnce), ctx.clock().getTime());
    await batch.commit();
    await judge();
    left = left.slice(resultsAtOnce);
  }
  return left;
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
      CROSS JOIN emails e ON e.project_id = ${ctx.project.number} AND e.id = r.value AND e.round = ${id}
        AND e.status = 'SENDING'
      HAVING count(*) > 1`,
  );
}

/** A stored call is not repeated once the outcome of all its emails is known. Some of them may have come back later. */
function deleteSettledRounds(ctx: Context, called: Result[]): Statement[] {
  if (ctx.mailer.idempotencyWindowMs === 0) return [];
  const rounds = Map.groupBy(called, ({ round }) => round);
  const settled = [...rounds].filter(([, results]) => results.every((result) => result.uncertainSince === null));
  if (settled.length === 0) return [];
  const ids = JSON.stringify(settled.map(([round]) => round));
  return [
    statement(
      sql`DELETE FROM rounds WHERE project_id = ${ctx.project.number} AND id IN (SELECT value FROM json_each(${ids}))
        AND NOT EXISTS (SELECT 1 FROM json_each(rounds.emails) r
          CROSS JOIN emails e ON e.project_id = rounds.project_id AND e.id = r.value
          WHERE e.round = rounds.id AND (e.status = 'SENDING' OR e.status = 'QUEUED' AND e.uncertain_since IS NOT NULL))`,
    ),
  ];
}

/**
 * For mail of which a consumer may have died: before it is composed, its row counts the new try. The hand-over resets
 * the count. The results of the previous round are recorded first, because this Worker may die too.
 */
export async function recordAndNote(ctx: Context, called: Result[], emails: EmailRow[]): Promise<void> {
  const at = ctx.clock().getTime();
  const batch = openBatch(ctx);
  const judge = recordCalled(ctx, batch, called, at);
  if (emails.length > 0) {
    batch.add(
      statement(
        sql`UPDATE emails AS e SET abandonments = abandonments + 1 FROM json_each(${itemsOf(emails)}) r
          WHERE ${isAsRead(at)}`,
      ),
    );
  }
  await batch.commit();
  await judge();
}

/**
 * Puts off emails that could not be composed now. This worker has outlived the try, so nobody has died of them; the note
 * of a try is taken back.
 */
export async function putOff(
  ctx: Context,
  emails: EmailRow[],
  { until, isNoted }: { until: number; isNoted: boolean },
) {
  if (emails.length === 0) return;
  const items = itemsOf(emails);
  // It is a wait of the real time, which a clock that stands still does not show: there the message alone comes later.
  const next = ctx.project.testClock ? ctx.clock().getTime() : until;
  const batch = openBatch(ctx);
  batch.add(
    statement(
      sql`UPDATE emails AS e SET next_attempt_at = ${next}, due_at = ${next + announceGraceMs},
          abandonments = ${isNoted ? sql`max(0, abandonments - 1)` : sql`abandonments`}
        FROM json_each(${items}) r WHERE ${isAsRead(ctx.clock().getTime())}`,
    ),
  );
  await batch.commit();
}

/** Emails as they were read, for `isAsRead`. */
function itemsOf(emails: EmailRow[]): string {
  return JSON.stringify(emails.map(({ id, projectId, round }) => ({ emailId: id, projectId, round })));
}

/** Returns what to do after the commit. */
function recordCalled(ctx: Context, batch: Batch, called: Result[], at: number): () => Promise<void> {
  const isOfItsRound = sql`e.round = r.value->>'round' AND e.status IN ('SENDING', 'QUEUED', 'UNKNOWN')`;
  batch.addAll(updateResults(ctx, { results: called, where: sql`${ofItem} AND ${isOfItsRound}`, at }));
  const begun = called.some(({ status }) => status === "SENT") ? batch.add(insertBlock(ctx, at)) : null;
  batch.addAll(deleteSettledRounds(ctx, called));
  const delivered = called.filter(({ reports }) => reports.some(isDelivery));
  batch.addAll(updateDelivered(ctx, delivered, ctx.mailer.name));
  for (const result of called) {
    for (const report of result.reports) {
      if (!isDelivery(report)) batch.addAll(updateReported(ctx, result, report, ctx.mailer.name));
    }
  }
  const isDistrusted = called.some(({ reports }) => reports.some((report) => endsTrust(meaningOf(report))));
  return async () => {
    if (isDistrusted || (begun?.count ?? 0) > 0) await judgeAsMailGoes(ctx);
  };
}

function isDelivery({ kind }: Report): boolean {
  return kind === "delivered";
}

/** The email `e` of an item `r`, by its key. */
const ofItem: SQL = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'`;

/** The email was not handed over since it was read, and it is still due. */
function isAsRead(at: number): SQL {
  return sql`${ofItem} AND e.status = 'QUEUED' AND e.round IS r.value->>'round' AND e.next_attempt_at <= ${at}`;
}

/** Ends mail that was refused. What somebody else has taken meanwhile, or has ended, is not as it was read. */
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
export function resultOf({ id, projectId, campaignId, round }: EmailRow, outcome: Outcome): Result {
  return { emailId: id, projectId, campaignId, round, ...outcome };
}

/** `due_at` stays: a sweep before the end of the lease looks again when it ends. */
function updateHanded(ctx: Context, next: Call[], at: number): Statement<{ id: Id }> {
  const items = JSON.stringify(
    next.flatMap((call) => {
      const isFresh = freshOf(call).length > 0;
      return call.mails.map(({ email, message, topicId, contact }) => ({
        ...{ emailId: email.id, projectId: email.projectId, round: email.round, call: call.id },
        ...{ subject: message.subject, contact, type: message.type, topicId, isFresh },
      }));
    }),
  );
  const isStopped = sql.join(
    obstacles(ctx).map(({ isThere }) => isThere),
    sql` OR `,
  );
  return statement(
    sql`UPDATE emails AS e SET status = 'SENDING', round = r.value->>'call', handed_at = ${ctx.realClock().getTime()}, provider = ${ctx.mailer.name},
        attempts = attempts + 1, abandonments = 0, subject = r.value->>'subject',
        contact = coalesce(contact, r.value->'contact')
      FROM json_each(${items}) r
      WHERE ${isAsRead(at)} AND NOT (r.value->>'isFresh' AND (${isStopped}))
      RETURNING id`,
    columns({ id: asId }),
  );
}
