import MailComposer from "nodemailer/lib/mail-composer";
import { domainOf } from "../../core/mail/address";
import type { Message } from "../../core/mail/message";

/** The finished message as RFC 5322 source. The same message gives the same bytes on every try. */
export async function toMime(message: Message): Promise<Uint8Array> {
  const { emailId, from, to, replyTo, subject, html, text, headers, attachments, date } = message;
  const written = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  const composer = new MailComposer({
    from: { name: from.name ?? "", address: from.written },
    to: { name: to.name ?? "", address: to.written },
    ...(replyTo === null || written.has("reply-to") ? {} : { replyTo }),
    subject,
    // An empty part would be left out, and the message would be of another kind than its template.
    html: html || " ",
    text: text || " ",
    attachments: attachments.map(({ filename, contentType, contentId, disposition, content }) => ({
      ...{ filename, contentType, content, encoding: "base64", contentDisposition: disposition },
      ...(contentId === null ? {} : { cid: contentId }),
    })),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    // The composer has a spelling of its own for every name: X-Order-Id would become X-Order-ID.
    normalizeHeaderKey: (name) => written.get(name.toLowerCase()) ?? name,
    date,
    messageId: `<${emailId}@${domainOf(from.email)}>`,
    baseBoundary: emailId,
    // A body that names a file or a URL must never make us read it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
