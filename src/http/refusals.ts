import { ErrorEnvelope } from "./envelope";

/** The meaning and an example of each error response, for the document. `failure.ts` makes the real answers. */
const refusals = {
  400: {
    description: "The body is not JSON, or the request cannot be read.",
    code: "BAD_REQUEST",
    message: "The request body is not valid JSON.",
    suggestion: "Check the quotes and commas of the body, and whether it was cut off.",
  },
  401: {
    description: "The key is missing, not valid, or of the wrong kind.",
    code: "INVALID_API_KEY",
    message: "The API key is missing or not valid.",
    suggestion: "Send it as `Authorization: Bearer sk_…`.",
  },
  402: {
    description: "The project's monthly limit of emails is used up.",
    code: "BILLING_LIMIT_EXCEEDED",
    message: "This call would exceed the project's limit of 10000 emails a month. Nothing was sent.",
    suggestion: "Send to fewer recipients, wait for the next month (UTC), or ask the operator for a higher limit.",
  },
  403: {
    description: "The project is disabled, or the sender domain is not verified.",
    code: "PROJECT_DISABLED",
    message: "This project is disabled: it can be read but not changed, and it sends no mail.",
    suggestion: "Ask the operator of this installation to enable it.",
  },
  404: {
    description: "The resource does not exist, or belongs to another project.",
    code: "RESOURCE_NOT_FOUND",
    message: "No email 0199a0f2-6c1f-7d60-8a3b-5a1de0c4b7e2 in this project.",
    suggestion: undefined,
  },
  408: {
    description: "The rest of a large body did not arrive in time. Nothing was done.",
    code: "REQUEST_TIMEOUT",
    message: "The rest of a large request body did not arrive within 15 seconds. Nothing was done.",
    suggestion: "Send the request again, over a faster connection or with smaller attachments.",
  },
  409: {
    description: "The request conflicts with the current state.",
    code: "CONFLICT",
    message: "acme.example is already a domain of this project.",
    suggestion: undefined,
  },
  410: {
    description: "The resource existed, and is no longer stored.",
    code: "RESOURCE_NOT_FOUND",
    message: "The content of this email is no longer stored.",
    suggestion: undefined,
  },
  413: {
    description: "The body is too large.",
    code: "PAYLOAD_TOO_LARGE",
    message: "The request body is larger than the 1048576 bytes allowed here.",
    suggestion: undefined,
  },
  422: {
    description: "Some fields are not valid; `errors` lists each.",
    code: "VALIDATION_ERROR",
    message: "Request validation failed: email.",
    suggestion: "Correct the fields listed in errors and send the request again.",
  },
  429: {
    description: "A rate limit is used up; `Retry-After` says when to try again.",
    code: "RATE_LIMIT_EXCEEDED",
    message: "Too many requests: the project's send limit is used up.",
    suggestion: "Wait 1 s, and spread requests over time.",
  },
  503: {
    description:
      "A service that this depends on cannot be reached. Nothing was done; `Retry-After` says when to try again.",
    code: "EXTERNAL_SERVICE_ERROR",
    message: "The DNS records of acme.com could not be looked up.",
    suggestion: "The DNS resolver gave no usable answer. Try again in a minute.",
  },
} as const;

export type RefusalStatus = keyof typeof refusals;

const faults = [
  {
    field: "email",
    message: "Must be an email address such as ada@example.com",
    code: "invalid_string",
    received: "nope",
  },
];

export function describeRefusal(status: RefusalStatus) {
  const { description, code, message, suggestion } = refusals[status];
  const error = {
    code,
    message,
    statusCode: status,
    requestId: "6f1c0a52-3b8e-4f0d-9a7c-5e2d1b0f8a34",
    ...(status === 422 ? { errors: faults } : {}),
    ...(suggestion ? { suggestion } : {}),
  };
  const example = { success: false, error, timestamp: "2026-01-31T09:00:00.000Z" };
  return { description, content: { "application/json": { schema: ErrorEnvelope, example } } };
}
