import { expect } from "vitest";
import type { Answer } from "./project";

export const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Statuses of faults that a caller can always mend. */
const mustSuggest = new Set([400, 401, 404, 405, 413, 422, 429]);

/** The whole envelope of a refusal: nothing may be missing, and nothing else may be in it. */
export function expectRefusal(answer: Answer, status: number, code: string, more: Record<string, unknown> = {}): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  const { suggestion, ...error } = answer.body.error;
  expect({ ...answer.body, error }).toEqual({
    success: false,
    message: suggestion === undefined ? error.message : `${error.message} ${suggestion}`,
    error: {
      code,
      message: expect.stringMatching(/^\S.*\.$/s),
      statusCode: status,
      requestId: answer.headers.get("X-Request-ID"),
      ...more,
    },
    timestamp: expect.stringMatching(isoTime),
  });
  // A sentence that tells the caller what to do next, where there is something to do.
  if (suggestion !== undefined || mustSuggest.has(status)) expect(suggestion).toMatch(/^[A-Z].*\.$/s);
}

/** A 422 that names this field with this code. */
export function expectInvalid(answer: Answer, field: string, code: string): void {
  const fault = expect.objectContaining({ field, code, message: expect.any(String) });
  expectRefusal(answer, 422, "VALIDATION_ERROR", { errors: expect.arrayContaining([fault]) });
  expect(answer.body.error.suggestion).toBeTruthy();
}

/** The flat 400 of the old endpoints: `error` is the first missing field, and `errors` has them all. */
export function expectLegacy(answer: Answer, missing: string[]): void {
  expect([answer.status, answer.body]).toEqual([
    400,
    {
      error: `${missing[0]} is required`,
      message: expect.stringMatching(/^Request validation failed\. .*\.$/s),
      errors: expect.any(Array),
      suggestion: expect.stringMatching(/^[A-Z].*\.$/s),
      requestId: answer.headers.get("X-Request-ID"),
    },
  ]);
  const required = answer.body.errors.filter(({ code }: { code: string }) => code === "required");
  expect(required.map(({ field }: { field: string }) => field)).toEqual(missing);
  for (const field of missing) expect(answer.body.message).toContain(field);
}
