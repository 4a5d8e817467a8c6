import { sql } from "drizzle-orm";
import type { Reason, ReasonCode, RecipientVerdict } from "../../../core/campaigns/verdict";
import { NotFound } from "../../../core/errors";
import { type Id, publicId } from "../../../core/ids";
import { iso } from "../../../core/time";
import { maxRowsPerStatement } from "../../../db/limits";
import { inProject } from "../../../db/scope";
import type { ContactRow, TemplateRow, VersionRow } from "../../../db/tables";
import { findWhyNoMail } from "../../../engine/recipients/of-contact";
import { findJudgedEmails, type JudgedEmail, verdictOfEmail } from "../../../engine/recipients/of-email";
import type { Context } from "../../../platform/context";
import { becauseOfPerson, findPerson } from "./person";
import { forecastRetry } from "./retry";
import type { Because, ContactExplanation } from "./schema";
import { findStops } from "./stops";

type Answer = ContactExplanation["verdict"];

/** Explains one email, and what sending it again would do. Throws NotFound when the contact has no such email. */
export async function explainEmail(ctx: Context, contact: ContactRow, id: Id): Promise<ContactExplanation> {
  const [email] = await findJudgedEmails(
    ctx,
    sql`WHERE ${inProject(ctx, "e")} AND e.id = ${id} AND e.contact_id = ${contact.id}`,
  );
  if (email === undefined) throw new NotFound("email", id);
  const [explanation, retry] = await Promise.all([explainJudged(ctx, contact, email), forecastRetry(ctx, contact, id)]);
  return { ...explanation, ...(retry && { retry }) };
}

/**
 * Explains the contact's newest email of a template. If there is no such email, explains what would now keep mail of
 * the template from the contact.
 */
export async function explainTemplate(
  ctx: Context,
  contact: ContactRow,
  { id, topicId, type, fromEmail }: Pick<TemplateRow, "id" | "topicId"> & Pick<VersionRow, "type" | "fromEmail">,
): Promise<ContactExplanation> {
  // The index sorts the emails of a contact by campaign, so the query sorts them by id.
  const newest = sql`SELECT id, content_id FROM emails INDEXED BY ux_emails_contact
    WHERE ${inProject(ctx)} AND contact_id = ${contact.id} ORDER BY id DESC LIMIT ${maxRowsPerStatement}`;
  const [email] = await findJudgedEmails(
    ctx,
    sql`WHERE ${inProject(ctx, "e")} AND e.id = (SELECT n.id FROM (${newest}) n CROSS JOIN email_contents content
      ON ${inProject(ctx, "content")} AND content.id = n.content_id WHERE content.template_id = ${id}
      ORDER BY n.id DESC LIMIT 1)`,
  );
  if (email !== undefined) return explainJudged(ctx, contact, email);
  const [person, reasons, stops] = await Promise.all([
    findPerson(ctx, contact, topicId),
    findWhyNoMail(ctx, { type, topicId }, contact),
    findStops(ctx, { type, fromEmail }),
  ]);
  const never: Because = {
    at: null,
    code: "never_sent",
    message: "No email from this template was created for the contact, or it is not among the newest 25,000 emails",
    source: { type: "template", id: publicId(id) },
  };
  const ofPerson = reasons.flatMap((reason) => becauseOfPerson(person, reason) ?? []);
  return { verdict: "NOT_RECEIVED", because: [never, ...ofPerson, ...stops] };
}

/** Explains an email. Each reason that concerns the contact is followed by what is known about the contact. */
export async function explainJudged(
  ctx: Context,
  contact: ContactRow,
  email: JudgedEmail,
): Promise<ContactExplanation> {
  const person = await findPerson(ctx, contact, email.topicId);
  const verdict = verdictOfEmail(email);
  const source = { type: "email" as const, id: publicId(email.id) };
  const because = verdict.reasons.flatMap((reason): Because[] => [
    { at: iso(email.at), ...reason, source },
    ...[becauseOfPerson(person, reason) ?? []].flat(),
  ]);
  return { verdict: answerOf(verdict), because: [...because, ...otherAddress(contact, email)] };
}

function otherAddress({ id, email }: ContactRow, { toEmail }: JudgedEmail): Because[] {
  if (toEmail === email || toEmail === "") return [];
  const message = `The email was created for ${toEmail}, which was the contact's address at that time`;
  return [{ at: null, code: "other_address", message, source: { type: "contact", id: publicId(id) } }];
}

/** Returns the answer to whether the mail reached the contact. */
export function answerOf({ outcome, reasons }: { outcome: RecipientVerdict["outcome"]; reasons: Reason[] }): Answer {
  const code = reasons[0]?.code;
  if (code !== undefined && (outcome === "SENT" || outcome === "WAITING")) return answers[code] ?? "NOT_RECEIVED";
  return "NOT_RECEIVED";
}

/**
 * The answers for mail that was sent, and for mail that waits for something that ends by itself. A reason that only a
 * person can end is not listed, so its answer is NOT_RECEIVED.
 */
const answers: Partial<Record<ReasonCode, Answer>> = {
  sent: "UNKNOWN",
  unknown: "UNKNOWN",
  delivered: "RECEIVED",
  opened: "RECEIVED",
  clicked: "RECEIVED",
  complained: "RECEIVED",
  waiting: "WILL_RECEIVE",
  canary: "WILL_RECEIVE",
  scheduled: "WILL_RECEIVE",
  not_reached: "WILL_RECEIVE",
};
