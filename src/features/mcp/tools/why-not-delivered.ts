import { z } from "zod";
import { BadRequest } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import { type EmailStatus, emailStatuses } from "../../../core/mail/status";
import type { Api } from "../api";
import { pick, rowsOf, textIn } from "../fields";
import { type Outcome, readingTool } from "../tool";

const listed = 5;

/** Explains each status of an email to somebody who is waiting for it. */
const meanings: Record<EmailStatus, string> = {
  QUEUED: "The email waits: for its scheduledAt, for a retry after an error, or for its turn. Nothing has left yet.",
  SENDING: "The email is being handed to the mail provider at this moment.",
  SENT: "The mail provider accepted the email, and has not yet reported whether it arrived. It may be in a spam folder.",
  DELIVERED:
    "The recipient's mail server accepted the email. If the person does not see it, it is in a spam folder or filtered.",
  OPENED: "The email arrived and was opened, perhaps by a program of the mailbox rather than by the person.",
  CLICKED: "The email arrived, and a link in it was clicked.",
  BOUNCED: "The recipient's mail server refused the email. After a hard bounce the address is suppressed.",
  COMPLAINED: "The email arrived, and the recipient marked it as spam. The address has been suppressed since.",
  FAILED: "The email was not sent. error says why. POST /emails/{id}/retry of the API sends it again.",
  CANCELLED: "The email was cancelled before it was sent. error says why.",
  SUPPRESSED:
    "The email was not sent, because the person unsubscribed, bounced or complained before. error says which.",
  UNKNOWN:
    "The mail provider did not answer, so the email may or may not have been sent. It is not sent again automatically.",
};

export const whyNotDelivered = readingTool({
  name: "why_not_delivered",
  title: "Why was an email not delivered?",
  description:
    "Explain what became of an email: its status, error, every recorded event, and the recipient's subscription state. Pass " +
    "emailId, or to for the newest emails to an address; the newest one is explained.",
  input: z.strictObject({
    emailId: z.string().optional().describe("The id of an email, as send_email returns it."),
    to: z.string().optional().describe("The recipient's address, when you have no emailId."),
  }),
  async run({ api }, { emailId, to }): Promise<Outcome> {
    if ((emailId === undefined) === (to === undefined)) {
      throw new BadRequest("Pass either emailId or to.", { suggestion: "Either one identifies the email." });
    }
    const newest = to === undefined ? [] : rowsOf((await api.get("/emails", { to, limit: listed })).data);
    const id = emailId ?? textIn(newest[0] ?? {}, "id");
    if (id === undefined) {
      return {
        data: { to: String(to), emails: [] },
        next: "No email to this address was ever accepted in this project: it was not sent, or the call that should have sent it was refused.",
      };
    }
    const email = await api.get(`/emails/${encodeURIComponent(id)}`);
    const others = newest.slice(1).map((one) => pick(one, "id", "subject", "status", "error", "createdAt"));
    return {
      data: { email: shown(email), recipient: await recipientOf(api, email), olderEmails: others },
      next: meaningOf(email),
    };
  },
});

function meaningOf({ status }: JsonObject): string | undefined {
  const known = emailStatuses.find((one) => one === status);
  return known === undefined ? undefined : meanings[known];
}

function shown(email: JsonObject): JsonObject {
  const events = rowsOf(email.events).map((event) => pick(event, "name", "at", "data"));
  const what = pick(email, "id", "to", "subject", "from", "type", "source", "status", "error", "attempts", "provider");
  const when = [
    "createdAt",
    "scheduledAt",
    "sentAt",
    "deliveredAt",
    "openedAt",
    "clickedAt",
    "bouncedAt",
    "complainedAt",
  ];
  return { ...what, ...pick(email, "campaignId", "templateId", ...when), events };
}

/** Returns the recipient of an email; null if the contact has been erased. */
async function recipientOf(api: Api, email: JsonObject): Promise<JsonObject | null> {
  const address = textIn(email, "to");
  if (!address) return null;
  const [contact] = rowsOf((await api.get("/contacts", { email: address })).data);
  return contact === undefined ? null : pick(contact, "id", "email", "subscribed", "snoozedUntil", "optedOutAt");
}
