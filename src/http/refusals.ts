import { ErrorEnvelope } from "./envelope";

/** The meaning of each error response, for the OpenAPI document. `refusal-examples.ts` adds the examples. */
const refusals = {
  400: "The body is not JSON, or the request cannot be read.",
  401: "The key is missing, not valid, or of the wrong kind.",
  402: "The project has reached its storage limit, or its monthly limit of emails is used up.",
  403: "The project is disabled, the key may only read, the person's role is too low or their proof too old, marketing email is paused, or the sender domain is not verified.",
  404: "The resource does not exist, or belongs to another project.",
  408: "The body did not arrive in time. Nothing was done.",
  409: "The request conflicts with the current state.",
  410: "The content of the email is no longer stored.",
  412: "`If-Match` names a version other than the current one. Nothing was changed.",
  413: "The body is too large.",
  422: "Some fields or query parameters are not valid; `errors` lists each.",
  429: "A rate limit is used up; `Retry-After` says when to try again.",
  503: "A service that this depends on cannot be reached. Nothing was done; `Retry-After` says when to try again.",
} as const;

export type RefusalStatus = keyof typeof refusals;

export function isDescribed(status: number): status is RefusalStatus {
  return status in refusals;
}

export function describeRefusal(status: RefusalStatus) {
  return { description: refusals[status], content: { "application/json": { schema: ErrorEnvelope } } };
}
