import { type Id, publicId } from "../../../core/ids";
import { retryableStatuses } from "../../../core/mail/status";
import { iso } from "../../../core/time";
import { getRow } from "../../../db/get-row";
import { type ContactRow, emails } from "../../../db/tables";
import { contentGone, findContent } from "../../../engine/mail/content";
import { findWhyNoMail } from "../../../engine/recipients/of-contact";
import type { Context } from "../../../platform/context";
import { becauseOfPerson, findPerson } from "./person";
import type { Because, RetryForecast } from "./schema";
import { findStops } from "./stops";

/**
 * Returns what `POST /emails/{id}/retry` would do with an email now. Null when the call would refuse the email because
 * of its status. The hand-over of a retried email checks the same conditions again, so a later change can still stop
 * the mail.
 */
export async function forecastRetry(ctx: Context, contact: ContactRow, id: Id): Promise<RetryForecast | null> {
  const email = await getRow(ctx, emails, "email", id);
  if (!retryableStatuses.some((status) => status === email.status)) return null;
  const found = await findContent(ctx, email);
  const source = { type: "email" as const, id: publicId(id) };
  const forecast = {
    to: email.toEmail,
    mayArriveTwice: email.status === "UNKNOWN",
    waitsUntil: email.scheduledAt !== null && email.scheduledAt > ctx.now.getTime() ? iso(email.scheduledAt) : null,
  };
  if (found === null) {
    const gone: Because = { at: null, code: "content_gone", message: contentGone, source };
    return { ...forecast, verdict: "NOT_SENT", because: [gone] };
  }
  const { type, topicId, fromEmail } = found.content;
  const [person, reasons, stops] = await Promise.all([
    findPerson(ctx, contact, topicId),
    findWhyNoMail(ctx, { type, topicId }, contact),
    findStops(ctx, { type, fromEmail }),
  ]);
  const ofContact = { type: "contact" as const, id: publicId(contact.id) };
  const because = [
    ...reasons.map((reason): Because => becauseOfPerson(person, reason) ?? { at: null, ...reason, source: ofContact }),
    ...stops,
  ];
  return { ...forecast, verdict: because.length > 0 ? "NOT_SENT" : "SENT", because };
}
