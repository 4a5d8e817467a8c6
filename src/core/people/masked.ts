import type { z } from "zod";
import { fromBase64url } from "../base64url";

/** Shown instead of text that a person may not see. */
const mask = "•••";

/**
 * Fields whose text is ours or the team's own, such as the name of a segment. Only addresses in such text are masked.
 */
const ownText = new Set([
  ...["id", "name", "slug", "status", "type", "kind", "code", "field", "message", "reason", "source", "provider"],
  ...["event", "eventName", "cron", "timezone", "branch", "variant", "workflowName", "currentStepName", "domain"],
  "version",
]);
const safeFormats = new Set<unknown>(["uuid", "datetime", "date"]);

/** Matches an address, also when it is percent-encoded in a URL. */
const address = /[^\s@<>"'`(),;:&?=/]+(?:@|%40)[^\s@<>"'`(),;:&?=/]+/gi;

/** Thrown for a cursor that would reveal personal data, because it contains the values by which the list is sorted. */
export class RevealingCursor extends Error {}

/**
 * Returns an answer with addresses, data and bodies masked. It keeps numbers, states and times, and text in fields that
 * are known to be ours. All other text is masked by default, and so is everything that the schema does not describe.
 */
export function masked(value: unknown, schema: z.ZodType | undefined, field = ""): unknown {
  if (value === null || value === undefined) return value;
  const own = schema && plain(schema);
  if (own?.type === "union")
    return masked(
      value,
      own.options.find((option) => option.safeParse(value).success),
      field,
    );
  if (Array.isArray(value)) {
    if (own?.type === "array") return value.map((item) => masked(item, own.element, field));
    return [];
  }
  if (typeof value === "object") {
    const entries = Object.entries(value);
    if (own?.type === "object")
      return Object.fromEntries(entries.map(([key, part]) => [key, masked(part, own.shape[key], key)]));
    return Object.fromEntries(entries.map(([key, part]) => [withoutAddresses(key), maskedPart(part, own)]));
  }
  if (typeof value === "string") return maskedText(value, own, field);
  return own === undefined || own.type === "unknown" ? mask : value;
}

/** Masks one value of an object whose keys are not known in advance. */
function maskedPart(value: unknown, record: Plain | undefined): unknown {
  if (record?.type === "record" && plain(record.value).type !== "unknown") return masked(value, record.value);
  if (Array.isArray(value)) return [];
  if (value === null) return null;
  return typeof value === "object" ? {} : mask;
}

function maskedText(text: string, schema: Plain | undefined, field: string): string {
  if (schema?.type === "fixed") return text;
  if (schema?.type !== "string") return mask;
  if (safeFormats.has(schema.format)) return text;
  if (field === "cursor") return checkedCursor(text);
  return ownText.has(field) || /Ids?$/.test(field) ? withoutAddresses(text) : mask;
}

function withoutAddresses(text: string): string {
  return text.includes("@") || text.includes("%40") ? text.replace(address, mask) : text;
}

/** Masks the addresses in all strings of a refusal, which contains little other personal data. */
export function withoutAddressesIn(value: unknown): unknown {
  if (typeof value === "string") return withoutAddresses(value);
  if (Array.isArray(value)) return value.map(withoutAddressesIn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutAddressesIn(part)]));
}

/** Returns the cursor. Throws RevealingCursor when it contains text other than ids and our own fingerprint. */
function checkedCursor(cursor: string): string {
  const bytes = fromBase64url(cursor);
  if (cursor === "" || bytes === null) return cursor;
  let read: unknown;
  try {
    read = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new RevealingCursor();
  }
  const after = typeof read === "object" && read !== null && "after" in read ? read.after : null;
  const isPlain = (part: unknown) => typeof part === "number" || (typeof part === "string" && /^[\w-]{22}$/.test(part));
  if (!Array.isArray(after) || !after.every(isPlain)) throw new RevealingCursor();
  return cursor;
}

/** The parts of a schema that masking needs. */
type Plain =
  | { type: "object"; shape: Record<string, z.ZodType> }
  | { type: "array"; element: z.ZodType }
  | { type: "record"; value: z.ZodType }
  | { type: "union"; options: z.ZodType[] }
  | { type: "string"; format: unknown }
  /** One of a fixed set of values. */
  | { type: "fixed" }
  /** A number or a boolean. */
  | { type: "figure" }
  | { type: "unknown" };

function plain(schema: z.ZodType): Plain {
  // The casts are safe: zod's definition of each type of schema has the fields that are read here.
  const def = schema.def as unknown as Record<string, unknown> & { type: string };
  const inner = (name: string) => plain(def[name] as z.ZodType);
  switch (def.type) {
    case "object":
      return { type: "object", shape: (schema as z.ZodObject).shape as Record<string, z.ZodType> };
    case "array":
      return { type: "array", element: def.element as z.ZodType };
    case "record":
      return { type: "record", value: def.valueType as z.ZodType };
    case "union":
      return { type: "union", options: def.options as z.ZodType[] };
    case "string":
      return { type: "string", format: def.format };
    case "enum":
    case "literal":
      return { type: "fixed" };
    case "number":
    case "int":
    case "boolean":
      return { type: "figure" };
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
    case "nonoptional":
      return inner("innerType");
    case "lazy":
      return plain((def.getter as () => z.ZodType)());
    case "pipe":
      return inner("in");
    default:
      return { type: "unknown" };
  }
}
