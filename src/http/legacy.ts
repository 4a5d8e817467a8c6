import type { Context as HonoContext } from "hono";
import { z } from "zod";
import { type FieldFault as Fault, Invalid } from "../core/errors";
import { shownValue } from "../core/faults";
import { isJsonObject } from "../core/json";
import { nameMisspelt } from "../core/misspelt";
import { requiredText } from "../core/required";
import { ErrorEnvelope, FieldFault } from "./envelope";
import { findUnknown } from "./names";
import type { AppEnv } from "./router";

/**
 * The flat error body of three old endpoints for a missing required field. It has some fields of the envelope as well.
 */
const LegacyError = z
  .object({
    error: z.string().meta({ description: "Names the first missing field." }),
    message: z.string().meta({ description: "What is wrong, and what to do about it." }),
    errors: z.array(FieldFault).meta({ description: "Every missing field." }),
    suggestion: z.string(),
    requestId: z.string(),
  })
  .meta({ id: "LegacyError", example: legacyExample("email") });

/**
 * The required fields of an endpoint that answers as the old API did, and how the OpenAPI document describes its 400.
 */
export interface Legacy {
  required: readonly Required[];
  description: string;
  /** The field that is missing in the example. */
  example: string;
}

/**
 * Describes the 400 of an endpoint that answers as the old API did. Its body is a `LegacyError` for a missing field,
 * and the envelope for a body that is not JSON.
 */
export function legacyBadRequest({ description, example }: Legacy) {
  const schema = z.union([LegacyError, ErrorEnvelope]);
  return { description, content: { "application/json": { schema, example: legacyExample(example) } } };
}

/** A required field, and the condition under which it is missing. */
interface Required {
  field: string;
  isMissing(body: Record<string, unknown>): boolean;
}

/** Matches a field that is missing: absent, null or an empty string. */
export function required(field: string): Required {
  return { field, isMissing: ({ [field]: value }) => value === undefined || value === null || value === "" };
}

/**
 * Returns the 400 for a body without its required fields; null for any other body. `error` names the first missing
 * field, as the old API did. `errors` names all of them, and the fields that were probably sent instead. A body that is
 * not an object is left to the validation that follows.
 */
export async function refuseMissing(c: HonoContext<AppEnv>, { required }: Legacy): Promise<Response | null> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (!isJsonObject(body)) return null;
  const missing = required.filter(({ isMissing }) => isMissing(body)).map(({ field }) => field);
  const [first] = missing;
  if (first === undefined) return null;
  const { faults, ignored } = findUnknown(c.get("policy").names(), body);
  const sent = ignored.map(({ field }) => field);
  const all = [
    ...faults,
    ...nameMisspelt(
      missing.map((field) => faultOf(field, body[field])),
      sent,
    ),
  ];
  return c.json(legacyBody(first, all, c.get("requestId")), 400);
}

function faultOf(field: string, value: unknown): Fault {
  return { field, code: "required", message: requiredText(field), ...shownValue(value) };
}

function legacyBody(missing: string, faults: Fault[], requestId: string) {
  const { message, suggestion = "" } = new Invalid(faults);
  return {
    error: `${missing} is required`,
    message: `${message} ${suggestion}`,
    errors: faults,
    suggestion,
    requestId,
  };
}

/** Written out as a literal, because creating an error object would take a quarter of the Worker's startup time. */
function legacyExample(field: string) {
  const suggestion = "Correct the fields listed in errors and send the request again.";
  return {
    error: `${field} is required`,
    message: `Request validation failed. ${field}: ${requiredText(field)}. ${suggestion}`,
    errors: [{ field, code: "required" as const, message: requiredText(field) }],
    suggestion,
    requestId: "6f1c0a52-3b8e-4f0d-9a7c-5e2d1b0f8a34",
  };
}
