import MailComposer from "nodemailer/lib/mail-composer";
import { domainOf } from "../../core/mail/address";
import type { Attachment } from "../../core/mail/attachments";
import type { Message } from "../../core/mail/message";

/**
 * Builds the complete message as RFC 5322 source. The same message gives the same bytes on every try.
 *
 * The composer never gets a file, because it would decode and encode it again and hold it five times. It gets a
 * placeholder that nobody can guess, and the file's own base64 is written in its place.
 */
export async function toMime(message: Message): Promise<Uint8Array> {
  const files = message.attachments.map((file) => ({ ...file, mark: newMark() }));
  const frame = await compose(message, files);
  const places = files
    .map(({ content, mark }) => ({ content, start: frame.indexOf(mark), end: frame.indexOf(mark) + mark.length }))
    .toSorted((a, b) => a.start - b.start);
  const size = places.reduce(
    (sum, { content, start, end }) => sum + linesLength(content) - (end - start),
    frame.length,
  );
  const mime = new Uint8Array(size);
  let [from, at] = [0, 0];
  for (const { content, start, end } of places) {
    mime.set(frame.subarray(from, start), at);
    at = writeLines(content, mime, at + start - from);
    from = end;
  }
  mime.set(frame.subarray(from), at);
  return mime;
}

const lineLength = 76;
const markBytes = 36;

/** Random base64, short enough for one line and without padding. */
function newMark(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(markBytes))));
}

function linesLength(base64: string): number {
  return base64.length + 2 * Math.max(0, Math.ceil(base64.length / lineLength) - 1);
}

/** Writes base64 in lines of 76 characters (RFC 2045, section 6.8). Returns the end position. */
function writeLines(base64: string, into: Uint8Array, start: number): number {
  let at = start;
  for (let place = 0; place < base64.length; place++) {
    if (place > 0 && place % lineLength === 0) {
      into[at++] = 0x0d;
      into[at++] = 0x0a;
    }
    into[at++] = base64.charCodeAt(place);
  }
  return at;
}

async function compose(message: Message, files: (Attachment & { mark: string })[]): Promise<Buffer> {
  const { emailId, from, to, replyTo, subject, html, text, headers, date } = message;
  const written = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  const composer = new MailComposer({
    from: { name: from.name ?? "", address: from.written },
    to: { name: to.name ?? "", address: to.written },
    ...(replyTo === null || written.has("reply-to") ? {} : { replyTo }),
    subject,
    // The composer would leave out an empty part, and the message would change its kind.
    html: html || " ",
    text: text || " ",
    attachments: files.map(({ filename, contentType, contentId, disposition, mark }) => ({
      ...{ filename, contentType, contentDisposition: disposition },
      ...{ content: mark, encoding: "base64", contentTransferEncoding: "base64" },
      ...(contentId === null ? {} : { cid: contentId }),
    })),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    // The composer spells header names in its own way: X-Order-Id would become X-Order-ID.
    normalizeHeaderKey: (name) => written.get(name.toLowerCase()) ?? name,
    date,
    messageId: `<${emailId}@${domainOf(from.email)}>`,
    baseBoundary: emailId,
    // A body that contains a file path or a URL must never make us read it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
