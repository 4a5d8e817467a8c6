import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { Attachment } from "../../../core/mail/attachments";
import { openBatch } from "../../../db/batch";
import { asId, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { domainInSql, verifiedDomain } from "../../../db/sender-domain";
import { select, statement } from "../../../db/statement";
import type { ContentRow, EmailRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import type { TakenSlot } from "../../../platform/memory-slots";
import { largeMailBytes } from "../announce";
import { loadAttachments } from "../attachments";
import { loadBody } from "../body";
import { contactSnapshot, readEmailToRender, selectContents } from "../content";
import { isLeft } from "./left";
import { type Repeat, readRepeats } from "./repeats";

/**
 * Emails that a consumer is about to hand over, with everything needed to compose them. Other consumers may have read
 * the same emails.
 */
export interface Delivery {
  /**
   * Each email has the contact for which it is rendered: the copy from an earlier hand-over, or else the current
   * contact.
   */
  emails: EmailRow[];
  /**
   * Calls with several emails that got no answer and will be repeated unchanged. The emails of these calls are not in
   * `emails`.
   */
  repeats: Repeat[];
  contents: Map<Id, ContentRow>;
  /** Ids of contents whose sender domain is verified in this project now. */
  maySend: Set<Id>;
  /** Ids of contents whose emails are handled alone. Composing may add more. */
  large: Set<Id>;
  /**
   * The body and the files of the content that was composed last. They are kept for the next recipients, who often get
   * the same content.
   */
  loaded: { contentId: Id; body: string; attachments: Attachment[] } | null;
  /** The memory slot of this delivery; null when none became free, undefined while no mail has needed one. */
  slot: TakenSlot | null | undefined;
  /** Whether a consumer may have died while handling one of these emails. If so, each email is handled alone. */
  isAgain: boolean;
}

/** Reads the emails that are due. This reserves nothing: the hand-over decides which consumer may make the call. */
export async function readDelivery(ctx: Context, emailIds: Id[], { isAgain }: { isAgain: boolean }): Promise<Delivery> {
  const due = dueAmong(ctx, emailIds);
  const isOfDue = sql`content.id IN (SELECT e.content_id ${due})`;
  const batch = openBatch(ctx);
  const found = batch.add(
    // Emails whose consumers have died often come last, so that the others are handled first.
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
    // The sender domain was already checked before the first call.
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

/**
 * Loads the body and the files of a content row. Returns null when they are no longer stored. Only the body and the
 * files of one row are kept in memory at a time, because they may be large.
 */
export async function loadContent(ctx: Context, delivery: Delivery, content: ContentRow): Promise<Delivery["loaded"]> {
  if (delivery.loaded?.contentId === content.id) return delivery.loaded;
  delivery.loaded = null;
  const body = await loadBody(ctx, content);
  const attachments = body === null ? null : await loadAttachments(ctx, content);
  if (body !== null && attachments !== null) delivery.loaded = { contentId: content.id, body, attachments };
  return delivery.loaded;
}

/** Returns the ids of the emails that still wait to be handed over. */
export async function findDue(ctx: Context, emailIds: Id[]): Promise<Set<Id>> {
  if (emailIds.length === 0) return new Set();
  const rows = await select(ctx.db, sql`SELECT e.id ${dueAmong(ctx, emailIds)}`, columns({ id: asId }));
  return new Set(rows.map(({ id }) => id));
}

function dueAmong(ctx: Context, emailIds: Id[]): SQL {
  // Uses `ctx.clock()`, because `ctx.now` may be out of date: other messages of the queue batch may have been handled
  // first.
  return sql`FROM json_each(${JSON.stringify(emailIds)}) r
    CROSS JOIN emails e ON ${inProject(ctx, "e")} AND e.id = r.value
    WHERE e.status = 'QUEUED' AND e.next_attempt_at <= ${ctx.clock().getTime()} AND NOT ${isLeft(ctx, "e")}`;
}
