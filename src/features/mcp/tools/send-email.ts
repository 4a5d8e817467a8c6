import { z } from "zod";
import { isJsonObject, type JsonObject } from "../../../core/json";
import { type Api, ApiRefused } from "../api";
import { pick, rowsOf } from "../fields";
import { idOf } from "../named";
import { sendingTool } from "../tool";
import { Data, Template } from "./arguments";

const maxRecipients = 50;

export const sendEmail = sendingTool(
  {
    name: "send_email",
    title: "Send an email",
    description:
      "Send one email to each of up to 50 recipients, from a template or with subject, body and from. It reaches real people " +
      "and cannot be taken back. Each call sends once; pass an idempotencyKey to be able to repeat a call whose answer was lost.",
    input: z.strictObject({
      to: z
        .union([z.string(), z.array(z.string()).min(1).max(maxRecipients)])
        .describe("The recipient's address, or a list of addresses."),
      template: Template.optional().describe(
        "A template's id or exact name. Without one, pass subject, body and from.",
      ),
      subject: z.string().optional(),
      body: z.string().optional().describe("The email as HTML. The plain text is made from it."),
      from: z.string().optional().describe("The sender's address, at a verified domain of the project."),
      data: Data.optional().describe("Values for the {{ variables }}. They are stored with the contact."),
      scheduledAt: z
        .string()
        .optional()
        .describe("When to send, as an ISO 8601 time with a time zone, at most 30 days ahead."),
      idempotencyKey: z.string().optional().describe("Calls with the same key send only once."),
    }),
    async run({ api }, { template, idempotencyKey, ...mail }) {
      const chosen = template === undefined ? {} : { template: await idOf(api, "template", template) };
      // The arguments were parsed from JSON, so they are JSON.
      const { answer, isRepeat } = await sendOnce(api, { ...mail, ...chosen } as JsonObject, idempotencyKey);
      const sent = isJsonObject(answer.data) ? rowsOf(answer.data.emails) : [];
      const emails = sent.map(({ email, contact, status }) => ({
        emailId: email ?? null,
        to: isJsonObject(contact) ? pick(contact, "id", "email") : null,
        status: status ?? null,
      }));
      return {
        data: { emails, ...pick(answer, "warnings", "sandbox") },
        next: isRepeat ? repeated : accepted,
      };
    },
  },
  { isIdempotent: false },
);

const accepted =
  "QUEUED means accepted: the email is on its way. SUPPRESSED means that this person gets no mail, so none was sent. why_not_delivered tells what became of an emailId.";
const repeated = "This idempotencyKey was used before for the same email. It was sent then, and is not sent again.";

interface Sent {
  answer: JsonObject;
  isRepeat: boolean;
}

/** Sends the mail. When the key was used before for the same mail, returns the answer of that earlier call. */
async function sendOnce(api: Api, mail: JsonObject, key: string | undefined): Promise<Sent> {
  try {
    const answer = await api.post("/v1/send", mail, key === undefined ? {} : { "Idempotency-Key": key });
    return { answer, isRepeat: false };
  } catch (thrown) {
    const first = thrown instanceof ApiRefused ? firstAnswerIn(thrown) : null;
    if (first === null) throw thrown;
    return { answer: first, isRepeat: true };
  }
}

/** Returns the answer of the first call if this is the refusal of a repeated request; otherwise null. */
function firstAnswerIn({ error: { code, details } }: ApiRefused): JsonObject | null {
  if (code !== "IDEMPOTENCY_KEY_REUSED" || !isJsonObject(details)) return null;
  const { sameRequest, originalResponse } = details;
  return sameRequest === true && isJsonObject(originalResponse) ? originalResponse : null;
}
