import { z } from "zod";
import type { Attachment } from "../../../core/mail/attachments";
import { mailbox, splitReplyTo } from "../../../core/mail/mailbox";
import type { Message } from "../../../core/mail/message";
import type { Receipt } from "../../../core/mail/receipt";
import { writeTag } from "../../../core/mail/tag";
import {
  type Answer,
  callProvider,
  isSuccess,
  type RefusalKind,
  receiptOfRefusal,
  receiptsOfRefusal,
  tooLarge,
  withoutSecrets,
} from "../call";
import type { Mailer } from "../mailer";
import { postmarkDomains } from "./domains";
import { lookUpPostmark, postmarkCallName } from "./look-up";
import { postmarkTagName } from "./notices";
import type { PostmarkSettings } from "./settings";

/** The maximum size of a message, including attachments, in bytes after base64 encoding. */
const maxMessageBytes = 10 * 1024 * 1024;

/**
 * The maximum number of emails in one call. Postmark accepts 500. Smaller calls keep the database's steps before and
 * after a call short, and leave fewer emails with an unknown outcome after a crash.
 */
const mailsPerCall = 100;

/**
 * Sends through Postmark, which has no idempotency keys, but can be asked which emails it has. Marketing mail needs its
 * own broadcast stream.
 */
export function postmarkMailer(settings: PostmarkSettings): Mailer {
  const call = (method: string, path: string, token: Record<string, string>, body?: string) =>
    callProvider(`${settings.endpoint}/${path}`, {
      method,
      body,
      headers: { ...token, Accept: "application/json", "Content-Type": "application/json" },
    });
  const asServer = { "X-Postmark-Server-Token": settings.serverToken };
  const { accountToken } = settings;
  return {
    name: "postmark",
    idempotencyWindowMs: 0,
    mailsPerCall,
    sharesCallsWithFiles: true,
    maxMessageBytes,
    steeringHeaders: ["x-pm-"],
    allowsMarketing: settings.broadcastStream !== null,
    async deliver(messages, key) {
      if (messages.length > 1) {
        const bodies = JSON.stringify(messages.map((message) => bodyOf(settings, message, key)));
        return receiptsOf(await call("POST", "email/batch", asServer, bodies), messages.length, settings);
      }
      const body = JSON.stringify(messages.map((message) => bodyOf(settings, message, key))[0]);
      const tooMuch = tooLarge(body.length, maxMessageBytes);
      return [tooMuch ?? receiptOf(await call("POST", "email", asServer, body), settings)];
    },
    lookUp: (key) => lookUpPostmark(settings, key, (path) => call("GET", path, asServer)),
    ...postmarkDomains(
      accountToken === null
        ? null
        : (method, path, body) => call(method, path, { "X-Postmark-Account-Token": accountToken }, body),
    ),
  };
}

function bodyOf({ stream, broadcastStream }: PostmarkSettings, message: Message, key: string) {
  const { replyTo, headers } = splitReplyTo(message.headers, message.replyTo);
  return {
    From: mailbox(message.from),
    To: mailbox(message.to),
    Subject: message.subject,
    HtmlBody: message.html || " ",
    TextBody: message.text || " ",
    ...(replyTo === null ? {} : { ReplyTo: replyTo }),
    ...(message.attachments.length === 0 ? {} : { Attachments: message.attachments.map(attachmentOf) }),
    Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
    Metadata: { [postmarkTagName]: writeTag(message), [postmarkCallName]: key },
    MessageStream: message.type === "MARKETING" && broadcastStream !== null ? broadcastStream : stream,
  };
}

function attachmentOf({ filename, content, contentType, contentId }: Attachment) {
  const ContentID = contentId === null ? {} : { ContentID: `cid:${contentId}` };
  return { Name: filename, Content: content, ContentType: contentType, ...ContentID };
}

const Accepted = z.object({ ErrorCode: z.literal(0), MessageID: z.string() });
const Refused = z.object({ ErrorCode: z.number().optional(), Message: z.string().optional() });

/**
 * Error codes about the account, or about Postmark itself. In a call with several emails, they come with status 200.
 */
const kindOfCode = new Map<number, RefusalKind>([
  [10, "blocked"],
  [100, "unavailable"],
  [405, "blocked"],
  [412, "blocked"],
  [413, "blocked"],
  [429, "throttled"],
]);

function receiptOf(answer: Answer, settings: PostmarkSettings): Receipt {
  if (isSuccess(answer)) {
    return { kind: "accepted", providerMessageId: Accepted.parse(answer.body).MessageID, reports: [] };
  }
  return refusal(answer, answer.body, settings);
}

/**
 * Reads the answer to a call with several emails. The answer has an item for each email, in order. Throws when the
 * answer is unreadable, because the emails may have been sent.
 */
function receiptsOf(answer: Answer, mails: number, settings: PostmarkSettings): Receipt[] {
  if (!isSuccess(answer)) return receiptsOfRefusal(refusal(answer, answer.body, settings), mails);
  return z
    .array(z.unknown())
    .length(mails)
    .parse(answer.body)
    .map((item) => receiptOfItem(answer, item, settings));
}

function receiptOfItem(answer: Answer, item: unknown, settings: PostmarkSettings): Receipt {
  const accepted = Accepted.safeParse(item);
  if (accepted.success) return { kind: "accepted", providerMessageId: accepted.data.MessageID, reports: [] };
  // The status is that of the whole call; the result of one email is in its code.
  const { ErrorCode } = Refused.required().parse(item);
  return refusal({ ...answer, status: 422 }, item, settings, kindOfCode.get(ErrorCode) ?? "refused");
}

function refusal(
  answer: Answer,
  body: unknown,
  { serverToken, accountToken }: PostmarkSettings,
  kind?: RefusalKind,
): Receipt {
  const { data } = Refused.safeParse(body);
  const said = withoutSecrets(data?.Message, [serverToken, accountToken]);
  const code = data?.ErrorCode === undefined ? null : `(${data.ErrorCode})`;
  const message = [code, said].filter(Boolean).join(" ") || null;
  return receiptOfRefusal(answer, message, kind ?? kindOfCode.get(data?.ErrorCode ?? 0));
}
