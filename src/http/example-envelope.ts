import type { Refusal } from "../core/errors";
import { envelopeOf } from "./failure";

const requestId = "6f1c0a52-3b8e-4f0d-9a7c-5e2d1b0f8a34";
export const exampleTime = "2026-01-31T09:00:00.000Z";

/** Returns the error envelope of a refusal, as an example for the OpenAPI document. */
export function exampleEnvelope(refusal: Refusal | null): ReturnType<typeof envelopeOf> {
  return JSON.parse(JSON.stringify(envelopeOf(refusal, requestId, exampleTime)));
}
