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

/** Codes that the validator uses for a missing field as well as for one of a wrong type. */
const absenceCodes = new Set<z.core.$ZodIssue["code"]>(["invalid_type", "invalid_value", "invalid_union"]);

/** Nobody reads more than this, and an answer must not be larger than its request. */
const maxFaults = 100;

/** Translates the validator's issues into the field errors of the contract. `input` is the validated value. */
export function faultsOf(error: z.core.$ZodError, input: unknown): FieldFault[] {
  return error.issues.slice(0, maxFaults).map((issue) => {
    const received = valueAt(input, issue.path);
    const isMissing = received === undefined && absenceCodes.has(issue.code);
    const field = issue.path.join(".");
    return {
      field,
      message: isMissing || issue.message === bareRequired ? absence(issue, field) : issue.message,
      code: isMissing ? "required" : codeOf(issue),
      ...shownValue(received),
    };
  });
}

/** What the field takes is told, with its values where they are few, so that nobody has to look it up. */
function absence(issue: z.core.$ZodIssue, field: string): string {
  if (issue.code === "invalid_value") return `Required: ${issue.values.map(String).join(", ")}`;
  return requiredText(field, issue.code === "invalid_type" ? issue.expected : undefined);
}

/** Our own checks set their code in `params`; the validator's codes are translated. */
function codeOf(issue: z.core.$ZodIssue): FieldCode {
  if (issue.code !== "custom") return fieldCodes[issue.code] ?? "custom";
  // Only the schemas of core set `params.code`, and only to a FieldCode.
  return (issue.params?.code as FieldCode | undefined) ?? "custom";
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    // The line above found an own property under this key.
    return (value as Record<PropertyKey, unknown>)[key];
  }, input);
}

const maxShownLength = 200;

/** `received` of a fault, for a value that helps the caller. */
export function shownValue(received: unknown): { received?: unknown } {
  return isShowable(received) ? { received } : {};
}

/** Short plain values help the caller; whole bodies and attachments would not. */
function isShowable(value: unknown): boolean {
  if (typeof value === "string") return value.length <= maxShownLength;
  return typeof value === "number" || typeof value === "boolean" || value === null;
}
