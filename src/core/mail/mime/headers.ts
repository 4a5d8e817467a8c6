import addressparser from "nodemailer/lib/addressparser";
import {
  buildHeaderValue,
  encodeWord,
  encodeWords,
  foldLines,
  parseHeaderValue,
  quoteString,
} from "nodemailer/lib/mime-funcs";
import { type Address, asciiDomain, domainOf } from "../address";
import type { Attachment } from "../attachments";
import type { Message } from "../message";

/**
 * The longest line that RFC 5322 allows (section 2.1.1), the length at which lines are folded, and the length of an
 * encoded word.
 */
const maxLineLength = 998;
const foldedLength = 76;
const wordLength = 52;

/** Returns the headers of a message, except those about its content, each with its line break. */
export function messageHeaders(message: Message): string {
  const { emailId, from, to, replyTo, subject, headers, date } = message;
  const given = Object.entries(headers);
  const hasOwnReplyTo = given.some(([name]) => name.toLowerCase() === "reply-to");
  return [
    ...given.map(([name, value]) => header(name, givenValue(name.toLowerCase(), value))),
    header("From", mailbox(from)),
    header("To", mailbox(to)),
    hasOwnReplyTo || replyTo === null ? "" : header("Reply-To", mailbox(replyTo)),
    header("Subject", words(subject)),
    header("Message-ID", `<${emailId}@${domainOf(from.email)}>`),
    header("Date", date.toUTCString().replace("GMT", "+0000")),
    header("MIME-Version", "1.0"),
  ].join("");
}

/** Returns the headers of an attached file. */
export function fileHeaders({ filename, contentType, contentId, disposition }: Attachment): string {
  const type = buildHeaderValue(parseHeaderValue(contentType));
  return [
    // RFC 2047 forbids encoded words in a parameter, but some mail programs understand no other form of a file name.
    header(
      "Content-Type",
      `${type}; name=${quoteString(encodeWords(filename, letterEncoding(filename), wordLength, true))}`,
    ),
    contentId === null ? "" : header("Content-ID", `<${contentId}>`),
    header("Content-Transfer-Encoding", "base64"),
    header("Content-Disposition", buildHeaderValue({ value: disposition, params: { filename } })),
  ].join("");
}

/** Returns a header with its line break; an empty text when it has no value. */
export function header(name: string, value: string): string {
  if (value.trim() === "") return "";
  const line = `${name}: ${value}`;
  if (line.length <= foldedLength) return `${line}\r\n`;
  const folded = foldLines(line, foldedLength);
  if (folded.split("\r\n").every((part) => part.length <= maxLineLength && part.trim() !== "")) return `${folded}\r\n`;
  // The header cannot be folded, or would contain a line of spaces only, which some readers take for the end of the
  // headers.
  return `${foldLines(`${name}: ${encodeWord(value, "Q", wordLength)}`, foldedLength)}\r\n`;
}

/** Returns a header with a caller's value. */
function givenValue(name: string, value: string): string {
  if (name === "in-reply-to" || name === "references") return messageIds(value);
  // Only the names are encoded: if the whole header were encoded, its addresses could not be read.
  if (name === "reply-to" && !isPrintable(value)) return mailboxes(value);
  // A printable value is not encoded as a whole, because the caller may have encoded it already.
  return isPrintable(value) ? encodeWords(value, "Q", wordLength, true) : words(value);
}

function messageIds(value: string): string {
  const ids = value.split(/\s+/).filter((id) => id !== "");
  return words(ids.map((id) => `<${id.replace(/^<|>$/g, "")}>`).join(" "));
}

function mailboxes(value: string): string {
  return addressparser(value, { flatten: true })
    .filter(({ address }) => address !== "")
    .map(({ name, address }) => {
      const local = address.slice(0, address.lastIndexOf("@"));
      const domain = asciiDomain(domainOf(address));
      return named(name, domain === null ? address : `${local}@${domain}`);
    })
    .join(", ");
}

/** Formats an address: the local part as it was written, and the domain in ASCII. */
function mailbox({ email, written, name }: Address): string {
  return named(name ?? "", `${written.slice(0, written.lastIndexOf("@"))}@${domainOf(email)}`);
}

/** Formats a name and an address in angle brackets, or the address alone. */
export function named(name: string, address: string): string {
  if (name === "") return address;
  if (/^[\w ]+$/.test(name)) return `${name} <${address}>`;
  const phrase = isPlain(name) ? quoteString(name) : encodeWord(name, letterEncoding(name), wordLength);
  return `${phrase} <${address}>`;
}

/** Returns the text unchanged, or in encoded words (RFC 2047). */
function words(text: string): string {
  return isPlain(text) ? text : encodeWord(text, letterEncoding(text), wordLength);
}

/** Chooses an encoding: Q stays readable, but B is shorter when most characters are not Latin letters. */
function letterEncoding(text: string): "Q" | "B" {
  const letters = text.match(/[A-Za-z]/g)?.length ?? 0;
  const others = text.match(/[^\t\n\r -\x7f]/g)?.length ?? 0;
  return others < letters ? "Q" : "B";
}

function isPrintable(text: string): boolean {
  return /^[\t -~]*$/.test(text);
}

/** Whether the text neither needs encoding nor looks as if it were encoded already. */
function isPlain(text: string): boolean {
  return isPrintable(text) && !text.includes("=?");
}
