import { z } from "zod";
import type { FieldCode } from "../errors";
import { isJsonObject, utf8Bytes } from "../json";
import { isStorable, unstorableText } from "../storable";
import { normalizeMailboxes } from "./mailbox";

const maxHeaders = 50;
const maxNameLength = 76;
const maxValueLength = 998;
// RFC 5322 section 2.2: printable ASCII without the colon.
const headerName = /^[!-9;-~]+$/;
const lineBreak = /[\r\n]/;

/**
 * Headers that only the service may write: a caller's version would contradict the envelope, break the message, or
 * forge the marks of mail servers.
 */
const forbidden = new Set([
  "from",
  "to",
  "subject",
  "date",
  "message-id",
  "mime-version",
  "dkim-signature",
  "received",
  "return-path",
  "bcc",
  "cc",
  "sender",
  "authentication-results",
  "delivered-to",
  "apparently-to",
]);
const forbiddenFamilies = ["content-", "resent-", "arc-"];

/** The longest line (RFC 5322 section 2.1.1). A longer header continues on the next line, after any space. */
const maxLineBytes = 998;

/**
 * Whether a header contains addresses, URLs or ids, which must not be encoded. In all other headers, a long word is
 * written as encoded words (RFC 2047), which fit into any line.
 */
function isReadAsIs(name: string): boolean {
  return ["reply-to", "references", "in-reply-to"].includes(name) || name.startsWith("list-");
}

/**
 * Extra headers of an email: at most 50, no line breaks, none that we write ourselves, and none that is too long for a
 * line. The value of a `Reply-To` is a list of addresses, with the rules of every other address field.
 */
export const ExtraHeaders = z
  .custom<Record<string, string>>(isJsonObject, {
    error: "Must be an object of header names and values",
    params: { code: "invalid_type" },
  })
  .superRefine((headers, check) => {
    for (const [path, code, message] of headerFaults(headers)) {
      check.addIssue({ code: "custom", path, message, params: { code } });
    }
  })
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, wireValue(name, value)])),
  )
  .meta({
    type: "object",
    additionalProperties: { type: "string", maxLength: maxValueLength },
    maxProperties: maxHeaders,
    example: { "X-Order-Id": "1042" },
  });

type Fault = [path: string[], code: FieldCode, message: string];

function headerFaults(headers: Record<string, unknown>): Fault[] {
  const entries = Object.entries(headers);
  if (entries.length > maxHeaders) return [[[], "too_big", `At most ${maxHeaders} extra headers`]];
  return entries.flatMap(([name, value]) => nameFaults(name) ?? valueFaults(name, value));
}

function nameFaults(name: string): Fault[] | null {
  if (!headerName.test(name)) {
    return [[[name], "invalid_string", "A header name must be printable ASCII without spaces, line breaks or colons"]];
  }
  if (name.length > maxNameLength)
    return [[[name], "too_big", `A header name may have at most ${maxNameLength} characters`]];
  const lower = name.toLowerCase();
  if (forbidden.has(lower) || forbiddenFamilies.some((family) => lower.startsWith(family))) {
    return [[[name], "custom", `${name} is set by the service and cannot be replaced`]];
  }
  return null;
}

function valueFaults(name: string, value: unknown): Fault[] {
  if (typeof value !== "string") return [[[name], "invalid_type", "A header value must be a string"]];
  if (value.length > maxValueLength) {
    return [[[name], "too_big", `A header value may have at most ${maxValueLength} characters`]];
  }
  if (lineBreak.test(value)) return [[[name], "invalid_string", "A header value may not contain line breaks"]];
  if (!isStorable(value)) return [[[name], "invalid_string", unstorableText]];
  const lower = name.toLowerCase();
  if (lower === "reply-to" && normalizeMailboxes(value) === null) {
    return [[[name], "invalid_string", 'Must be addresses such as "ada@example.com" or "Ada <ada@example.com>"']];
  }
  return isReadAsIs(lower) && !fitsLines(`${name}: ${value}`) ? [[[name], "too_big", tooLong]] : [];
}

const tooLong = `Is too long for mail: no line of a header may have more than ${maxLineBytes} bytes, and it has no space at which it could continue on the next line`;

function fitsLines(header: string): boolean {
  // The name shares a line with the first word of the value; each further line begins with a space.
  const [name = "", first = "", ...rest] = header.split(/[ \t]/);
  return [`${name} ${first}`, ...rest.map((word) => ` ${word}`)].every((line) => utf8Bytes(line) <= maxLineBytes);
}

/** Returns the value in the form that is sent: domains of addresses are in ASCII. */
function wireValue(name: string, value: string): string {
  return (name.toLowerCase() === "reply-to" ? normalizeMailboxes(value) : null) ?? value;
}
