import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { chunksOf } from "../../core/chunks";
import { belowAllIds, type Id, publicId, timeOf } from "../../core/ids";
import type { ContactSnapshot } from "../../core/mail/message";
import { iso, isoOrNull } from "../../core/time";
import { asFlag, asId, asNumber, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import { type ContactRow, type ContentRow, confirmations, emails, suppressions } from "../../db/tables";
import { getContact } from "../../engine/contacts/contact";
import { topicsOf } from "../../engine/contacts/topics";
import { joinEmailOfEvent } from "../../engine/events/email-data";
import { eventsOfContact } from "../../engine/events/of-contact";
import { eventColumns, readEvent } from "../../engine/events/stored-event";
import { loadBody } from "../../engine/mail/body";
import { findContents } from "../../engine/mail/content";
import { contentJson, isUnrenderable } from "../../engine/mail/render";
import { wholeExecutionJson } from "../../engine/workflows/execution-json";
import { shardOfContact } from "../../engine/workflows/shards";
import type { Context } from "../../platform/context";
import { emailJson, selectEmails, type WholeEmail } from "../emails/email";
import { eventJson } from "../events/event";
import { suppressionJson } from "../suppressions/suppression";
import { contactJson } from "./contact";

/**
 * Exports everything that is stored about one person. Throws NotFound. Long lists are read page by page while they are
 * written, so they are never completely in memory. `exportedAt` comes last: a file without it is incomplete.
 */
export async function exportContact(ctx: Context, id: Id) {
  const contact = await getContact(ctx, id);
  const suppression = await ctx.db
    .select()
    .from(suppressions)
    .where(and(inProject(ctx), eq(suppressions.email, contact.email)))
    .get();
  return {
    contact: { ...contactJson(contact), optedOutAt: isoOrNull(contact.optedOutAt) },
    suppression: suppression ? suppressionJson(suppression) : null,
    confirmations: await confirmationsOf(ctx, contact),
    segments: await segmentsOf(ctx, contact),
    topics: await topicsChosenBy(ctx, contact),
    emails: emailsOf(ctx, contact),
    events: eventsOf(ctx, contact),
    executions: executionsOf(ctx, contact),
    exportedAt: ctx.now.toISOString(),
  };
}

/**
 * Confirmations prove that the person wanted the mail. Their number per day is limited, so all of them are read at
 * once.
 */
async function confirmationsOf(ctx: Context, contact: ContactRow) {
  const rows = await ctx.db
    .select()
    .from(confirmations)
    .where(and(inProject(ctx), eq(confirmations.contactId, contact.id)))
    .orderBy(asc(confirmations.id));
  return rows.map(({ id, email, confirmedAt, page }) => ({
    email,
    requestedAt: iso(timeOf(id)),
    confirmedAt: isoOrNull(confirmedAt),
    page,
  }));
}

/** Returns the segments in the order in which the contact entered them. */
async function segmentsOf(ctx: Context, contact: ContactRow): Promise<{ id: string; name: string }[]> {
  const rows = await select(
    ctx.db,
    sql`SELECT s.id, s.name FROM segment_members m INDEXED BY ix_segment_members_contact
      CROSS JOIN segments s ON s.project_id = m.project_id AND s.id = m.segment_id
      WHERE ${inProject(ctx, "m")} AND m.contact_id = ${contact.id} ORDER BY m.created_at, s.id`,
    columns({ id: asId, name: asText }),
  );
  return rows.map(({ id, name }) => ({ id: publicId(id), name }));
}

/** Returns every topic, including deleted ones about which the contact made a choice: at most 1,000. */
async function topicsChosenBy(ctx: Context, { id }: ContactRow) {
  const rows = await select(
    ctx.db,
    sql`SELECT id, name, slug, coalesce(ct.is_in, default_subscribed) AS is_in, ct.at ${topicsOf(ctx, id)}
      WHERE ${inProject(ctx, "topics")} AND (deleted_at IS NULL OR ct.at IS NOT NULL) ORDER BY id`,
    columns({ id: asId, name: asText, slug: asText, isIn: asFlag, at: orNull(asNumber) }),
  );
  return rows.map(({ id, name, slug, isIn, at }) => {
    return { id: publicId(id), name, slug, subscribed: isIn, chosenAt: isoOrNull(at) };
  });
}

/**
 * The maximum number of emails that are read at once with everything that belongs to them. An email's content may be 64
 * KB, and so may the data of its contact.
 */
const emailsPerPage = 25;
/**
 * The maximum number of ids of emails that are read at once. The index of a person's emails is not sorted by id, so
 * each read scans all of the person's emails.
 */
const emailsPerLook = 1_000;

async function* emailsOf(ctx: Context, contact: ContactRow) {
  let after = belowAllIds;
  for (;;) {
    const found = await select(
      ctx.db,
      sql`SELECT id FROM emails INDEXED BY ux_emails_contact
        WHERE ${inProject(ctx)} AND contact_id = ${contact.id} AND id > ${after}
        ORDER BY id LIMIT ${emailsPerLook}`,
      columns({ id: asId }),
    );
    const ids = found.map(({ id }) => id);
    for (const page of chunksOf(ids, emailsPerPage)) yield* emailsOfPage(ctx, contact, page);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

async function* emailsOfPage(ctx: Context, contact: ContactRow, ids: Id[]) {
  const { email, subscribed, data } = contact;
  const rows = await selectEmails(ctx, inArray(emails.id, ids)).orderBy(asc(emails.id));
  const contents = await findContents(
    ctx,
    rows.map(({ contentId }) => contentId),
  );
  for (const row of rows) {
    const content = row.isForgotten ? undefined : contents.get(row.contentId);
    const said = content ? await contentSentIn(ctx, row, content, row.contact ?? { email, subscribed, data }) : null;
    yield { ...emailJson(row), toName: row.toName, content: said };
  }
}

/** Returns the sent content. Null when it is no longer stored, or could never be rendered. */
async function contentSentIn(ctx: Context, email: WholeEmail, content: ContentRow, contact: ContactSnapshot) {
  const body = await loadBody(ctx, content);
  if (body === null) return null;
  try {
    return contentJson(ctx, email, { ...content, body }, contact);
  } catch (error) {
    if (!isUnrenderable(error)) throw error;
    return null;
  }
}

/** The maximum number of executions that are read at once. Each may come with its event, which may be 64 KB. */
const executionsPerPage = 25;

/** Reads the person's workflow executions. All of them are stored in one Durable Object. */
async function* executionsOf(ctx: Context, contact: ContactRow) {
  const { address, shard } = shardOfContact(ctx, contact.id);
  const found = await select(
    ctx.db,
    sql`SELECT id FROM workflow_executions INDEXED BY ix_workflow_executions_contact
      WHERE ${inProject(ctx)} AND contact_id = ${contact.id} ORDER BY id`,
    columns({ id: asId }),
  );
  const ids = found.map(({ id }) => id);
  for (const page of chunksOf(ids, executionsPerPage)) {
    for (const execution of await shard.get(address, page)) yield wholeExecutionJson(execution);
  }
}

const eventsPerPage = 1_000;
/** A page of events ends when the data of its events reach this size, because one event may have 64 KB of data. */
const bytesPerPage = 1_000_000;

async function* eventsOf(ctx: Context, contact: ContactRow) {
  let after = belowAllIds;
  for (;;) {
    const isNext = sql`${inProject(ctx)} AND contact_id = ${contact.id} AND id > ${after}`;
    const window = sql`${eventsOfContact(sql`id, octet_length(data) AS bytes`, isNext)} ORDER BY id LIMIT ${eventsPerPage}`;
    // A page has at least one event, however large it is.
    const page = sql`SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM (${window}))
      WHERE before < ${bytesPerPage}`;
    const rows = await select(
      ctx.db,
      sql`SELECT ${eventColumns}
        FROM (${page}) page CROSS JOIN events e ON ${inProject(ctx, "e")} AND e.id = page.id
        LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id ${joinEmailOfEvent}
        ORDER BY e.id`,
      readEvent,
    );
    for (const row of rows) yield eventJson(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.row.id;
  }
}
