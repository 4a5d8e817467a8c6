import { z } from "zod";
import type { FieldCode } from "../errors";
import { isJsonObject } from "../json";
import { isStorable, unstorableText } from "../storable";

const maxHeaders = 50;
const maxNameLength = 76;
const maxValueLength = 998;
// RFC 5322 section 2.2: printable ASCII without the colon.
const headerName = /^[!-9;-~]+$/;
const lineBreak = /[\r\n]/;

/** Headers that the service writes: a caller's copy would contradict the envelope, break the message, or forge what
 * mail servers write. */
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

/** Extra headers of an email: at most 50, no line breaks, none that we write ourselves. */
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
  return isStorable(value) ? [] : [[[name], "invalid_string", unstorableText]];
}
