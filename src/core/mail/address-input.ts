import { z } from "zod";
import type { FieldCode } from "../errors";
import { isJsonObject } from "../json";
import { isStorable, unstorableText } from "../storable";
import { type Address, normalizeEmail, wireAddress } from "./address";

/** The maximum number of recipients of one call of `/v1/send`. */
export const maxRecipients = 500;
const maxNameLength = 255;
// A line break in a name or an address would let a caller write headers of their own.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const controlCharacter = /[\u0000-\u001f\u007f]/;

const addressShape = {
  anyOf: [
    { type: "string" as const, format: "email" },
    {
      type: "object" as const,
      properties: {
        name: { type: "string" as const, maxLength: maxNameLength },
        email: { type: "string" as const, format: "email" },
      },
      required: ["email"],
    },
  ],
};

/** The schema of an email address. It returns the normalized address, which identifies a contact. */
export const Email = z
  .string()
  .transform((written, check) => normalizeEmail(written) ?? fault(check, [], "invalid_string", whyNoAddress(written)))
  .meta({ type: "string", format: "email", example: "ada@example.com" });

/** The display name of an address. */
export const DisplayName = z
  .string()
  .max(maxNameLength)
  .transform((name, check) => {
    if (controlCharacter.test(name)) return fault(check, [], "invalid_string", "May not contain line breaks");
    return isStorable(name) ? name.trim() : fault(check, [], "invalid_string", unstorableText);
  })
  .meta({ type: "string", maxLength: maxNameLength, example: "Ada Lovelace" });

const maxFromNameLength = 100;

/** The stored name of a sender, which all later emails use. */
export const FromName = DisplayName.refine((name) => name.length <= maxFromNameLength, {
  message: `At most ${maxFromNameLength} characters`,
  params: { code: "too_big" },
}).meta({ maxLength: maxFromNameLength });

/** The schema of an address: `"ada@example.com"` or `{ name, email }`. */
export const AddressInput = z
  .unknown()
  .transform((input, check) => readAddress(input, [], check))
  .meta({ ...addressShape, example: "ada@example.com" });

/** The schema of recipients: one address, or a list of 1 to 500. */
export const RecipientsInput = z
  .unknown()
  .transform((input, check): Address[] => {
    if (!Array.isArray(input)) return [readAddress(input, [], check)];
    if (input.length === 0) return fault(check, [], "too_small", "At least one recipient is required");
    if (input.length > maxRecipients)
      return fault(check, [], "too_big", `At most ${maxRecipients} recipients per call`);
    return input.map((item, index) => readAddress(item, [index], check));
  })
  .meta({
    anyOf: [...addressShape.anyOf, { type: "array", items: addressShape, minItems: 1, maxItems: maxRecipients }],
    example: "ada@example.com",
  });

const notAnAddress = "Must be an email address such as ada@example.com";

/**
 * Tells how to write the address that was probably meant. When `takesName` is true, an object with a name is accepted
 * too.
 */
function whyNoAddress(written: string, takesName = false): string {
  const [, name = "", email = ""] = /^([^<>]{0,255})<([^<>]{1,320})>\s*$/.exec(written) ?? [];
  if (normalizeEmail(email) !== null) {
    const alone = `Must be the address alone, without a name: "${email.trim()}"`;
    const shown = JSON.stringify({ name: name.trim().replace(/^"(.*)"$/, "$1"), email: email.trim() });
    return takesName ? `${alone}, or with the name as ${shown}` : alone;
  }
  if (/[,;]/.test(written) && written.split(/[,;]/).every((part) => normalizeEmail(part) !== null)) {
    return "Must be a single address. If the field accepts several, send them as a list";
  }
  return notAnAddress;
}

function readAddress(input: unknown, path: (string | number)[], check: z.RefinementCtx): Address {
  if (input === undefined) return fault(check, path, "required", "Required");
  if (typeof input === "string") return readEmail(input, null, path, check);
  if (!isJsonObject(input)) {
    return fault(check, path, "invalid_type", "Must be an email address or { name, email }");
  }
  const name = input.name === undefined || input.name === null ? null : DisplayName.safeParse(input.name);
  if (name && !name.success) {
    const message = `Must be a name of at most ${maxNameLength} characters on one line`;
    return fault(check, [...path, "name"], nameFault(input.name), message);
  }
  const emailPath = [...path, "email"];
  if (input.email === undefined) return fault(check, emailPath, "required", "An address needs an email");
  if (typeof input.email !== "string") return fault(check, emailPath, "invalid_type", notAnAddress);
  return readEmail(input.email, name?.data || null, emailPath, check);
}

function nameFault(name: unknown): FieldCode {
  if (typeof name !== "string") return "invalid_type";
  return name.length > maxNameLength ? "too_big" : "invalid_string";
}

function readEmail(written: string, name: string | null, path: (string | number)[], check: z.RefinementCtx): Address {
  const email = normalizeEmail(written);
  if (email === null) return fault(check, path, "invalid_string", whyNoAddress(written, path.at(-1) !== "email"));
  return { email, written: wireAddress(written, email), name };
}

function fault(check: z.RefinementCtx, path: (string | number)[], code: FieldCode, message: string): never {
  check.addIssue({ code: "custom", path, message, params: { code } });
  return z.NEVER;
}
