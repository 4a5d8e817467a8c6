import { z } from "zod";
import type { Attachment } from "../../core/mail/attachments";
import { mailbox, splitReplyTo } from "../../core/mail/mailbox";
import type { Message } from "../../core/mail/message";
import { postmarkTagName } from "../../core/mail/notices/postmark";
import type { Receipt } from "../../core/mail/receipt";
import { writeTag } from "../../core/mail/tag";
import { type Answer, callProvider, isSuccess, receiptOfRefusal, tooLarge, withoutSecrets } from "./call";
import type { Mailer } from "./mailer";
import { postmarkDomains } from "./postmark-domains";
import type { PostmarkSettings } from "./settings";

/** With attachments, after base64 encoding. */
const maxMessageBytes = 10 * 1024 * 1024;

/** Postmark. It has no idempotency. Marketing mail needs its own broadcast stream. */
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
    maxMessageBytes,
    steeringHeaders: ["x-pm-"],
    allowsMarketing: settings.broadcastStream !== null,
    async deliver(message) {
      const body = JSON.stringify(bodyOf(settings, message));
      const tooMuch = tooLarge(body.length, maxMessageBytes);
      if (tooMuch) return tooMuch;
      return receiptOf(await call("POST", "email", asServer, body), settings);
    },
    async probe() {
      await call("GET", "server", asServer);
    },
    ...postmarkDomains(
      accountToken === null
        ? null
        : (method, path, body) => call(method, path, { "X-Postmark-Account-Token": accountToken }, body),
    ),
  };
}

function bodyOf({ stream, broadcastStream }: PostmarkSettings, message: Message) {
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
    Metadata: { [postmarkTagName]: writeTag(message) },
    MessageStream: message.type === "MARKETING" && broadcastStream !== null ? broadcastStream : stream,
  };
}

function attachmentOf({ filename, content, contentType, contentId }: Attachment) {
  const ContentID = contentId === null ? {} : { ContentID: `cid:${contentId}` };
  return { Name: filename, Content: content, ContentType: contentType, ...ContentID };
}

const Accepted = z.object({ ErrorCode: z.literal(0), MessageID: z.string() });
const Refused = z.object({ ErrorCode: z.number().optional(), Message: z.string().optional() });

function receiptOf(answer: Answer, { serverToken, accountToken }: PostmarkSettings): Receipt {
  if (isSuccess(answer)) {
    return { kind: "accepted", providerMessageId: Accepted.parse(answer.body).MessageID, reports: [] };
  }
  const { data } = Refused.safeParse(answer.body);
  const said = withoutSecrets(data?.Message, [serverToken, accountToken]);
  const code = data?.ErrorCode === undefined ? null : `(${data.ErrorCode})`;
  return receiptOfRefusal(answer, [code, said].filter(Boolean).join(" ") || null);
}
