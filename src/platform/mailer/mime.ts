import MailComposer from "nodemailer/lib/mail-composer";
import { domainOf } from "../../core/mail/address";
import type { Message } from "../../core/mail/message";

/** The finished message as RFC 5322 source. The same message gives the same bytes on every try. */
export async function toMime(message: Message): Promise<Uint8Array> {
  const { emailId, from, to, replyTo, subject, html, text, headers, date } = message;
  const hasOwnReplyTo = Object.keys(headers).some((name) => name.toLowerCase() === "reply-to");
  const composer = new MailComposer({
    from: { name: from.name ?? "", address: from.written },
    to: { name: to.name ?? "", address: to.written },
    ...(replyTo === null || hasOwnReplyTo ? {} : { replyTo }),
    subject,
    html,
    text,
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    date,
    messageId: `<${emailId}@${domainOf(from.email)}>`,
    baseBoundary: emailId,
    // A body that names a file or a URL must never make us read it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
