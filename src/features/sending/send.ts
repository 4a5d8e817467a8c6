import { sql } from "drizzle-orm";
import { readData } from "../../core/contacts/data";
import { MonthlyLimitReached, Refusal, UnverifiedSender } from "../../core/errors";
import { newId } from "../../core/ids";
import { utf8Bytes } from "../../core/json";
import { domainOf } from "../../core/mail/address";
import { commit, query } from "../../db/commit";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";
import { dataTooBigAsInvalid } from "../contacts/data-limit";
import { upsertContacts } from "../contacts/upsert-statements";
import { verifiedDomain } from "../domains/domain";
import { announceEmails } from "./announce";
import { checkLiquid } from "./check-liquid";
import type { SendEmail } from "./schema";
import { type Recipient, recordContent, recordEmails, recordUsage } from "./send-statements";

/** Larger bodies go to R2: a D1 row is for what is looked at together with others. */
const maxBodyBytesInRow = 65_536;

export interface AcceptedEmail {
  id: string;
  contactId: string;
  email: string;
  status: "QUEUED" | "SUPPRESSED";
}

/**
 * `POST /v1/send`: one email to each recipient, accepted for good once this returns. Nothing is read first: one
 * batch writes the content on condition that the sender may send, and everything else on condition that the content
 * is there. Throws Invalid, UnverifiedSender and MonthlyLimitReached, all without an effect.
 */
export async function sendEmails(ctx: Context, call: SendEmail): Promise<AcceptedEmail[]> {
  checkLiquid("subject", call.subject, "text");
  checkLiquid("body", call.body, "html");
  const contentId = newId();
  const isLarge = utf8Bytes(call.body) > maxBodyBytesInRow;
  const bodyKey = blobKey("content", ctx.project.id, contentId);
  if (isLarge) await ctx.blobs.put(bodyKey, call.body);
  try {
    const emails = await acceptEmails(ctx, call, { id: contentId, body: isLarge ? null : call.body });
    await announceEmails(ctx, queuedIds(emails));
    return emails;
  } catch (error) {
    // A refusal wrote no rows. After anything else they may be there, and need their body.
    if (isLarge && error instanceof Refusal) ctx.later(ctx.blobs.delete([bodyKey]));
    throw error;
  }
}

async function acceptEmails(
  ctx: Context,
  call: SendEmail,
  { id, body }: { id: string; body: string | null },
): Promise<AcceptedEmail[]> {
  const recipients = recipientsOf(call);
  const data = readData(call.data ?? {});
  const isAccepted = sql`EXISTS (SELECT 1 FROM email_contents WHERE id = ${id})`;
  const [content, ...rest] = await dataTooBigAsInvalid(
    commit(ctx.db, [
      recordContent(ctx, { id, call, body, ownData: data.own, recipients }),
      ...upsertContacts(ctx, {
        contacts: distinctContacts(recipients),
        data,
        subscribed: call.subscribed ?? null,
        subscribedByDefault: false,
        onlyIf: isAccepted,
      }),
      recordUsage(ctx, recipients, isAccepted),
      recordEmails(ctx, { contentId: id, recipients, onlyIf: isAccepted }),
    ]),
  );
  if (content?.length === 0) throw await refusal(ctx, domainOf(call.from.email));
  return inOrderOf(recipients, rest.at(-1) ?? []);
}

/** Each gets the id of its email; the same address twice is one contact and two emails. */
function recipientsOf(call: SendEmail): Recipient[] {
  const contactIds = new Map<string, string>();
  return call.to.map(({ email, written, name }) => {
    const contactId = contactIds.get(email) ?? newId();
    contactIds.set(email, contactId);
    return { emailId: newId(), contactId, email, written, name };
  });
}

function distinctContacts(recipients: Recipient[]): { id: string; email: string }[] {
  return [...new Map(recipients.map(({ contactId, email }) => [email, { id: contactId, email }])).values()];
}

function inOrderOf(recipients: Recipient[], rows: Record<string, unknown>[]): AcceptedEmail[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return recipients.map(({ emailId, email }) => {
    const row = byId.get(emailId);
    if (!row) throw new Error(`Email ${emailId} was accepted but has no row`);
    const status = row.status === "SUPPRESSED" ? "SUPPRESSED" : "QUEUED";
    return { id: emailId, contactId: String(row.contact_id), email, status };
  });
}

function queuedIds(emails: AcceptedEmail[]): string[] {
  return emails.filter(({ status }) => status === "QUEUED").map(({ id }) => id);
}

/** The batch wrote nothing, so either the sender may not send from this domain or the month is full. */
async function refusal(ctx: Context, domain: string): Promise<UnverifiedSender | MonthlyLimitReached> {
  const limit = ctx.project.monthlySendLimit;
  const isVerified = (await query(ctx.db, verifiedDomain(ctx, domain))).length > 0;
  return isVerified && limit !== null ? new MonthlyLimitReached(limit) : new UnverifiedSender(domain);
}
