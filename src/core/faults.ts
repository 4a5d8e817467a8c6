import type { z } from "zod";
import type { FieldCode, FieldFault } from "./errors";
import { bareRequired, requiredText } from "./required";

const fieldCodes: Partial<Record<z.core.$ZodIssue["code"], FieldCode>> = {
  invalid_type: "invalid_type",
  invalid_format: "invalid_string",
  too_small: "too_small",
  too_big: "too_big",
  invalid_value: "invalid_enum_value",
  invalid_union: "invalid_type",
};

/** Codes that the validator uses both for a missing field and for one of a wrong type. */
const absenceCodes = new Set<z.core.$ZodIssue["code"]>(["invalid_type", "invalid_value", "invalid_union"]);

/**
 * The maximum number of faults in an answer. More would not help, and an answer should not be larger than its request.
 */
const maxFaults = 100;

/** Translates the issues of the validator into the field errors of an answer. `input` is the validated value. */
export function faultsOf(error: z.core.$ZodError, input: unknown): FieldFault[] {
  return error.issues.slice(0, maxFaults).map((issue) => {
    const received = valueAt(input, issue.path);
    const isMissing = received === undefined && absenceCodes.has(issue.code) && !isInText(input, issue.path);
    const field = issue.path.join(".");
    return {
      field,
      message: isMissing || issue.message === bareRequired ? absence(issue, field) : issue.message,
      code: isMissing ? "required" : codeOf(issue),
      ...shownValue(received),
    };
  });
}

/**
 * Returns the message for a missing field. It names the expected value, so that callers need not look it up. A schema
 * can have a message of its own for a field whose name means something else in most calls.
 */
function absence(issue: z.core.$ZodIssue, field: string): string {
  if (issue.message.startsWith(`${bareRequired}: `)) return issue.message;
  if (issue.code === "invalid_value") return `Required: ${issue.values.map(String).join(", ")}`;
  return requiredText(field, issue.code === "invalid_type" ? issue.expected : undefined);
}

/** Returns the code of an issue. Our own checks set it in `params`; the codes of the validator are translated. */
function codeOf(issue: z.core.$ZodIssue): FieldCode {
  if (issue.code !== "custom") return fieldCodes[issue.code] ?? "custom";
  // The cast is safe: only the schemas of core set `params.code`, and only to a FieldCode.
  return (issue.params?.code as FieldCode | undefined) ?? "custom";
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    // The cast is safe: the line above has found an own property with this key.
    return (value as Record<PropertyKey, unknown>)[key];
  }, input);
}

/**
 * Whether a path leads into a text, such as the JSON in a form field. A value at such a path is not missing, although
 * it cannot be shown.
 */
function isInText(input: unknown, path: PropertyKey[]): boolean {
  return path.some((_, index) => typeof valueAt(input, path.slice(0, index)) === "string");
}

const maxShownLength = 200;

/** Returns the property `received` of a fault, if the value helps the caller. */
export function shownValue(received: unknown): { received?: unknown } {
  return isShowable(received) ? { received } : {};
}

/** Reports whether a value helps the caller: short plain values do, whole bodies and attachments do not. */
function isShowable(value: unknown): boolean {
  if (typeof value === "string") return value.length <= maxShownLength;
  return typeof value === "number" || typeof value === "boolean" || value === null;
}
