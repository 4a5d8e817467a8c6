import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { firstIdAt, type Id, asId as idOf, publicId, publicIdOrNull, timeOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { hourMs, iso, isoOrNull } from "../../core/time";
import { maxHits } from "../../core/tracking/hit";
import { asId, asJson, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import { type ContentRow, type EmailRow, emailContents, emails } from "../../db/tables";
import { emailEventData } from "../../engine/events/email-data";
import { emailEventNames } from "../../engine/events/email-events";
import type { Context } from "../../platform/context";

/** Fields that `email_contents` stores once for all recipients of a call. */
type Shared = Pick<ContentRow, "fromEmail" | "fromName" | "replyTo" | "type" | "templateId" | "variant"> & {
  givenSubject: string;
};

export type WholeEmail = EmailRow & Shared;

export function emailJson(row: WholeEmail) {
  return {
    id: publicId(row.id),
    contactId: publicId(row.contactId),
    to: row.toEmail,
    subject: row.subject ?? row.givenSubject,
    from: row.fromEmail,
    fromName: row.fromName,
    replyTo: row.replyTo,
    type: row.type,
    source: row.source,
    templateId: publicIdOrNull(row.templateId),
    campaignId: publicIdOrNull(row.campaignId),
    variant: row.variant,
    workflowExecutionId: executionOf(row.effectId),
    status: row.status,
    error: row.error,
    settledBy: row.settledBy,
    attempts: row.attempts,
    provider: row.provider,
    providerMessageId: row.providerMessageId,
    opens: row.opens,
    clicks: row.clicks,
    createdAt: iso(row.createdAt),
    scheduledAt: isoOrNull(row.scheduledAt),
    sentAt: isoOrNull(row.sentAt),
    deliveredAt: isoOrNull(row.deliveredAt),
    openedAt: isoOrNull(row.openedAt),
    clickedAt: isoOrNull(row.clickedAt),
    bouncedAt: isoOrNull(row.bouncedAt),
    complainedAt: isoOrNull(row.complainedAt),
  };
}

/** Returns the id of the execution that sent a workflow's email. The email's effect has the form `execution:step`. */
function executionOf(effectId: string | null): string | null {
  const [execution] = effectId?.split(":") ?? [];
  return execution === undefined ? null : publicId(idOf(execution));
}

const readHappened = columns({ id: asId, name: asText, data: asJson<JsonObject>() });
type Happened = ReturnType<typeof readHappened>;

export function emailEventJson(email: WholeEmail, { id, name, data }: Happened) {
  const { id: emailId, templateId, campaignId, source } = email;
  // The email of an erased contact has an empty `toEmail`, and its subject is not shown.
  const subject = email.toEmail === "" ? null : (email.subject ?? email.givenSubject);
  const shown = emailEventData(data, { emailId, subject, templateId, campaignId, source });
  return { name, at: iso(timeOf(id)), data: shown };
}

/** The maximum number of events that one email can have: all counted opens and clicks, and some of other kinds. */
const maxEvents = maxHits.opens + maxHits.clicks + maxHits.automatedClicks + 50;

/** Selects whole emails, including the fields that all emails of a call share. */
export function selectEmails(ctx: Context, condition: SQL | undefined) {
  return ctx.db
    .select({
      ...getTableColumns(emails),
      givenSubject: emailContents.subject,
      fromEmail: emailContents.fromEmail,
      fromName: emailContents.fromName,
      replyTo: emailContents.replyTo,
      type: emailContents.type,
      templateId: emailContents.templateId,
      variant: emailContents.variant,
    })
    .from(emails)
    .innerJoin(emailContents, and(inProject(ctx, "email_contents"), eq(emailContents.id, emails.contentId)))
    .where(and(inProject(ctx, "emails"), condition));
}

export async function getEmail(ctx: Context, id: Id): Promise<WholeEmail> {
  const email = await selectEmails(ctx, eq(emails.id, id)).get();
  if (!email) throw new NotFound("email", id);
  return email;
}

/**
 * The assumed maximum difference between the clock of the machine that accepted an email and the clock of the database,
 * which sets the times of events.
 */
const clocksDifferByMs = hourMs;

/**
 * Lists the events of an email, oldest first. Events have no index by email, so the query scans the events of the
 * email's contact since the email was created.
 */
export function findHappened(ctx: Context, { id, contactId }: EmailRow): Promise<Happened[]> {
  const since = firstIdAt(timeOf(id) - clocksDifferByMs);
  return select(
    ctx.db,
    sql`SELECT e.id, e.name, e.data FROM json_each(${JSON.stringify(emailEventNames)}) n
      CROSS JOIN events e INDEXED BY ix_events_name ON ${inProject(ctx, "e")} AND e.name = n.value
        AND e.contact_id = ${contactId} AND e.id >= ${since}
      WHERE e.email_id = ${id} ORDER BY e.id LIMIT ${maxEvents}`,
    readHappened,
  );
}
