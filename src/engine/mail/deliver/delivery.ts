import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { Attachment } from "../../../core/mail/attachments";
import { maxMailsInFlight } from "../../../core/mail/permits";
import type { Place } from "../../../core/mail/ring";
import type { Turn } from "../../../core/mail/turns";
import { openBatch } from "../../../db/batch";
import { asFlag, asId, asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { domainInSql, verifiedDomain } from "../../../db/sender-domain";
import { select, statement } from "../../../db/statement";
import type { ContentRow, EmailRow } from "../../../db/tables";
import { type Context, clockOf } from "../../../platform/context";
import type { TakenSlot } from "../../../platform/memory-slots";
import { announceGraceMs, largeMailBytes } from "../announce";
import { contactSnapshot, readEmailToRender, selectContents } from "../content";
import { type Repeat, readRepeats } from "./repeats";

/**
 * Emails that a consumer is about to hand over, and everything needed to compose them. Other consumers may have them
 * too.
 */
export interface Delivery {
  /** Each with the contact for its rendering: as it was at an earlier hand-over, or the current one. */
  emails: EmailRow[];
  /** Calls of several emails that got no answer, and are repeated as they were. Their emails are not in `emails`. */
  repeats: Repeat[];
  contents: Map<Id, ContentRow>;
  /** Ids of contents whose sender domain is verified in this project now. */
  maySend: Set<Id>;
  /** Ids of contents whose mails are handled alone. More are found when they are composed. */
  large: Set<Id>;
  /** The parts in R2 of the content that was composed last, read once for all recipients that share it. */
  loaded: { contentId: Id; body: string; attachments: Attachment[] } | null;
  /** The memory slot of this delivery; null when none became free, undefined before a mail has needed one. */
  slot: TakenSlot | null | undefined;
  /** A consumer may have died of one of these emails, so each is taken alone. */
  isAgain: boolean;
}

/** Reads the emails that are due. This reserves nothing: the hand-over decides which consumer may call. */
export async function readDelivery(ctx: Context, emailIds: Id[], { isAgain }: { isAgain: boolean }): Promise<Delivery> {
  const due = dueAmong(ctx, emailIds);
  const isOfDue = sql`content.id IN (SELECT e.content_id ${due})`;
  const batch = openBatch(ctx);
  const found = batch.add(
    // Emails of which many consumers died go last, so that the others get past them.
    statement(
      sql`SELECT e.*, ${contactSnapshot} AS rendered_with ${due} ORDER BY e.abandonments, r.key`,
      readEmailToRender,
    ),
  );
  const contents = batch.add(selectContents(ctx, isOfDue));
  const maySend = batch.add(
    statement(
      sql`SELECT content.id FROM email_contents content WHERE ${inProject(ctx, "content")} AND ${isOfDue}
        AND EXISTS (${verifiedDomain(ctx, domainInSql(sql`content.from_email`))})`,
      columns({ id: asId }),
    ),
  );
  await batch.commit();
  const repeats = await readRepeats(ctx, found.all);
  const repeated = new Set(repeats.flatMap(({ emails }) => emails.map(({ id }) => id)));
  const known = new Map(contents.all.map((row) => [row.id, row]));
  const allowed = new Set(maySend.all.map(({ id }) => id));
  for (const [id, row] of repeats.flatMap((repeat) => [...repeat.contents])) {
    known.set(id, row);
    // Whether its domain may send was asked before the first call.
    allowed.add(id);
  }
  return {
    emails: found.all.filter(({ id }) => !repeated.has(id)),
    repeats,
    contents: known,
    maySend: allowed,
    large: new Set([...known.values()].filter(({ size }) => size > largeMailBytes).map(({ id }) => id)),
    loaded: null,
    slot: undefined,
    isAgain,
  };
}

/** The ids of the emails that still wait to be handed over now. */
export async function findDue(ctx: Context, emailIds: Id[]): Promise<Set<Id>> {
  if (emailIds.length === 0) return new Set();
  const rows = await select(ctx.db, sql`SELECT e.id ${dueAmong(ctx, emailIds)}`, columns({ id: asId }));
  return new Set(rows.map(({ id }) => id));
}

function dueAmong(ctx: Context, emailIds: Id[]): SQL {
  // Other messages of its batch may have come first, and taken a while.
  return sql`FROM json_each(${JSON.stringify(emailIds)}) r
    CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value
    WHERE e.status = 'QUEUED' AND e.next_attempt_at <= ${ctx.clock().getTime()}`;
}

/** Rows that a page may pass over: they are in flight, or wait for their next try. */
const passedRows = 200;

/** A page of a project's waiting mail: the emails that are due, and where to read on; null after the last one. */
export async function findWaiting(
  ctx: Context,
  { priority, after, mails }: Pick<Turn, "priority" | "after" | "mails">,
): Promise<{ emailIds: Id[]; place: Place | null }> {
  const now = ctx.clock().getTime();
  const limit = mails + passedRows;
  const rows = await select(
    ctx.db,
    sql`SELECT id, due_at, status = 'QUEUED' AND next_attempt_at <= ${now} AS is_due
      FROM emails INDEXED BY ix_emails_due
      WHERE clock = ${clockOf(ctx)} AND ${inProject(ctx)} AND priority = ${priority}
        AND (due_at, id) > (${after?.dueAt ?? 0}, ${after?.id ?? ""}) AND due_at <= ${now + announceGraceMs}
      ORDER BY due_at, id LIMIT ${limit}`,
    columns({ id: asId, dueAt: asNumber, isDue: asFlag }),
  );
  const due = rows.filter(({ isDue }) => isDue).slice(0, mails);
  const last = due.length === mails ? due.at(-1) : rows.length === limit ? rows.at(-1) : undefined;
  return { emailIds: due.map(({ id }) => id), place: last ? { dueAt: last.dueAt, id: last.id } : null };
}

/** A probe passes over all mail whose calls got no answer: what was in flight when the provider went away. */
const passedByProbe = maxMailsInFlight + passedRows;

/**
 * The mail that finds out whether the provider is back, if there is any. It is the first due mail that was in no call
 * without an answer: such a call may have many mails, and can only be repeated whole.
 */
export async function findProbe(ctx: Context, { priority, after }: Pick<Turn, "priority" | "after">): Promise<Id[]> {
  const now = ctx.clock().getTime();
  const rows = await select(
    ctx.db,
    sql`SELECT id FROM (SELECT id, due_at, status, next_attempt_at, uncertain_since FROM emails INDEXED BY ix_emails_due
      WHERE clock = ${clockOf(ctx)} AND ${inProject(ctx)} AND priority = ${priority}
        AND (due_at, id) > (${after?.dueAt ?? 0}, ${after?.id ?? ""}) AND due_at <= ${now + announceGraceMs}
      ORDER BY due_at, id LIMIT ${passedByProbe})
      WHERE status = 'QUEUED' AND next_attempt_at <= ${now}
      ORDER BY uncertain_since IS NOT NULL, due_at, id LIMIT 1`,
    columns({ id: asId }),
  );
  return rows.map(({ id }) => id);
}
