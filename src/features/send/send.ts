import { sql } from "drizzle-orm";
import { NotFound, Refusal } from "../../core/errors";
import { type Id, newIdAt, textOf } from "../../core/ids";
import { utf8Bytes } from "../../core/json";
import { domainOf } from "../../core/mail/address";
import { type Attachment, type AttachmentRow, messageBytes } from "../../core/mail/attachments";
import { UnverifiedSender } from "../../core/mail/errors";
import type { Priority } from "../../core/mail/priority";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst, statement } from "../../db/statement";
import { templatesWithVersions } from "../../db/templates";
import { readGivenData } from "../../engine/contacts/given-data";
import { upsertContacts } from "../../engine/contacts/upsert";
import { insertEffect } from "../../engine/idempotency/effect";
import { checkContent } from "../../engine/mail/accept/check-liquid";
import { insertContentOf } from "../../engine/mail/accept/insert-content";
import { type InsertedEmail, insertEmailsTo, type Recipient } from "../../engine/mail/accept/insert-emails";
import { announceEmails } from "../../engine/mail/announce";
import { forgetAttachments, storeAttachments } from "../../engine/mail/attachments";
import { forgetBody, type StoredBody, storeBody } from "../../engine/mail/body";
import { guardMonthlyLimit, insertUsage } from "../../engine/projects/monthly-usage";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";
import { answerInSql } from "./answer";
import { checkAttachments } from "./check-attachments";
import { refuseWhileFull } from "./full";
import { readWarning, warningsInSql } from "./late-warnings";
import { refuseMarketing } from "./refuse-marketing";
import { readSchedule } from "./schedule";
import type { SendEmail } from "./schema";

export interface AcceptedEmail {
  id: Id;
  contactId: Id;
  email: string;
  status: "QUEUED" | "SUPPRESSED";
  priority: Priority;
}

/**
 * `POST /v1/send`: accepts one email to each recipient. The emails are stored durably before this returns. Nothing is
 * read first: one batch does everything. It writes the content only if the template exists, the sender domain is
 * verified and the monthly limit is not exceeded, and the other rows only if the content was written. Throws Invalid,
 * NotFound, UnverifiedSender, SendingPaused, Conflict, StorageLimitReached and MonthlyLimitReached. When it throws one
 * of these, nothing was stored.
 */
export async function sendEmails(ctx: Context, call: SendEmail): Promise<AcceptedEmail[]> {
  checkContent(ctx, call);
  const files = checkAttachments(ctx, call);
  const scheduledAt = readSchedule(ctx, call);
  await refuseMarketing(ctx, call);
  await refuseWhileFull(ctx, call);
  const id = newIdAt(ctx.now.getTime());
  const { inlineBody, attachments } = await storeFiles(ctx, call, id, files);
  try {
    const emails = await acceptEmails(ctx, call, { id, inlineBody, attachments, scheduledAt });
    if (scheduledAt === null) await announceEmails(ctx, queued(emails));
    return emails;
  } catch (error) {
    // A refusal wrote no rows. After any other error, the rows might exist and need their files.
    if (error instanceof Refusal) {
      if (inlineBody) forgetBody(ctx, inlineBody);
      forgetAttachments(ctx, id, attachments.length);
    }
    throw error;
  }
}

/** Stores the body and the attachments in files. Deletes them when a put fails, because no row has been written yet. */
async function storeFiles(ctx: Context, call: SendEmail, id: Id, files: Attachment[]) {
  try {
    const inlineBody = call.body === undefined ? null : await storeBody(ctx, "content", textOf(id), call.body);
    return { inlineBody, attachments: await storeAttachments(ctx, id, files) };
  } catch (error) {
    forgetBody(ctx, { bodyKey: blobKey("content", ctx.project.id, textOf(id)) });
    forgetAttachments(ctx, id, files.length);
    throw error;
  }
}

function sizeOf(call: SendEmail, attachments: AttachmentRow[]): number {
  return messageBytes(utf8Bytes(call.body ?? ""), attachments);
}

/** The values that a call stores in addition to its own fields. */
interface StoredCall {
  id: Id;
  inlineBody: StoredBody | null;
  attachments: AttachmentRow[];
  /** When the mail is due; null for at once. */
  scheduledAt: number | null;
}

async function acceptEmails(
  ctx: Context,
  call: SendEmail,
  { id, inlineBody, attachments, scheduledAt }: StoredCall,
): Promise<AcceptedEmail[]> {
  const recipients = recipientsOf(ctx, call);
  const data = readGivenData(ctx, call.data);
  const isAccepted = sql`EXISTS (SELECT 1 FROM email_contents WHERE ${inProject(ctx)} AND id = ${id})`;
  const batch = openBatch(ctx);
  batch.recognise(isAccepted);
  const content = batch.add(
    insertContentOf(ctx, {
      id,
      templateId: call.template ?? null,
      subject: call.subject,
      body: inlineBody ?? undefined,
      from: call.from?.email,
      fromName: call.from?.name || call.name || undefined,
      replyTo: call.reply ?? undefined,
      headers: call.headers ?? undefined,
      attachments,
      size: sizeOf(call, attachments),
      ownData: data.own,
      mayTrack: call.tracking ?? true,
      recipients: recipients.length,
    }),
  );
  const contacts = distinctContacts(recipients);
  batch.addAll(
    upsertContacts(ctx, {
      contacts,
      data,
      subscribed: call.subscribed ?? null,
      subscribedByDefault: false,
      source: "SEND",
      whenFull: "keep",
      onlyIf: isAccepted,
    }),
  );
  const emails = batch.add(insertEmailsTo(ctx, { contentId: id, recipients, scheduledAt }));
  batch.add(insertUsage(ctx, recipients));
  const lateWarnings = warningsInSql(ctx, call, { id, contacts, recipients, data });
  const late = lateWarnings.map((warning) => batch.add(statement(sql`SELECT ${warning} AS warning`, readWarning)));
  const answer = answerInSql(ctx, recipients);
  const response = ctx.config.sandbox ? sql`json_insert(${answer}, '$.sandbox', json('true'))` : answer;
  batch.addAll(insertEffect(ctx, { request: "POST /v1/send", response, lateWarnings, onlyIf: isAccepted }));
  // Must come after the statement that stores the effect of the idempotency key, so that a repeated call gets its 409
  // even if the month is full by then.
  batch.addAll(guardMonthlyLimit(ctx, recipients));
  await batch.commit();
  if (content.count === 0) throw await refusal(ctx, call);
  ctx.warnings.push(...late.flatMap(({ one: { warning } }) => warning ?? []));
  return inOrderOf(recipients, emails.all);
}

/** Makes a recipient for each address. An address that occurs twice is one contact with two emails. */
function recipientsOf(ctx: Context, call: SendEmail): Recipient[] {
  const now = ctx.now.getTime();
  const contactIds = new Map<string, Id>();
  return call.to.map(({ email, written, name }) => {
    const contactId = contactIds.get(email) ?? newIdAt(now);
    contactIds.set(email, contactId);
    return { emailId: newIdAt(now), contactId, email, written, name };
  });
}

function distinctContacts(recipients: Recipient[]): { id: Id; email: string }[] {
  return [...new Map(recipients.map(({ contactId, email }) => [email, { id: contactId, email }])).values()];
}

function inOrderOf(recipients: Recipient[], rows: InsertedEmail[]): AcceptedEmail[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return recipients.map(({ emailId, email }) => {
    const row = byId.get(emailId);
    if (!row) throw new Error(`Email ${textOf(emailId)} was accepted but has no row`);
    const { id, contactId, priority, isQueued } = row;
    return { id, contactId, email, status: isQueued ? "QUEUED" : "SUPPRESSED", priority };
  });
}

function queued(emails: AcceptedEmail[]): AcceptedEmail[] {
  return emails.filter(({ status }) => status === "QUEUED");
}

/** Determines why the batch wrote nothing: either the template does not exist, or the sender domain is not verified. */
async function refusal(ctx: Context, call: SendEmail): Promise<NotFound | UnverifiedSender> {
  if (!call.template) return new UnverifiedSender(domainOf(call.from?.email ?? ""));
  const template = await selectFirst(
    ctx.db,
    sql`SELECT v.from_email FROM ${templatesWithVersions} WHERE ${inProject(ctx, "t")} AND t.id = ${call.template}`,
    columns({ fromEmail: asText }),
  );
  if (!template) return new NotFound("template", call.template);
  return new UnverifiedSender(domainOf(call.from?.email ?? template.fromEmail));
}
