/** Every `error.code`, with its status and meaning. The guide shows it as a table; `failure.ts` uses no other codes. */
export const errorCodes = {
  BAD_REQUEST: [400, "The request cannot be read: for example, the body is not JSON, or the cursor is invalid."],
  INVALID_IDEMPOTENCY_KEY: [400, "The `Idempotency-Key` is not 1 to 255 printable ASCII characters."],
  INVALID_API_KEY: [401, "The key is missing, unknown, revoked, or of the wrong kind."],
  BILLING_LIMIT_EXCEEDED: [402, "The project's monthly limit of emails is used up. Nothing was sent."],
  STORAGE_LIMIT_EXCEEDED: [
    402,
    "The project has reached its storage limit. `details.largest` says what uses the space, and " +
      "`suggestion` how to free some. Nothing was added. Transactional mail to known contacts, opt-outs " +
      "and deletions still work.",
  ],
  PROJECT_DISABLED: [403, "The project can be read, but not changed, and it sends no mail."],
  READ_ONLY_KEY: [403, "The key is of kind `read`, and the call may change something. Nothing was done."],
  ROLE_TOO_LOW: [
    403,
    "The person's role does not allow the call. `details.needs` says which rights it needs. Nothing was done.",
  ],
  PROOF_NEEDED: [403, "The call needs a sign-in within the last ten minutes: the person must sign in again."],
  SENDING_PAUSED: [
    403,
    "Too many of the project's emails bounced or drew complaints, so its marketing email is paused. " +
      "Nothing was sent.",
  ],
  ORIGIN_NOT_ALLOWED: [
    403,
    "A page of another site called `/mcp`, or used a person's session to change something. Nothing was done.",
  ],
  INVALID_SIGNATURE: [403, "A report to `/hooks` has no valid signature of its provider."],
  RESOURCE_NOT_FOUND: [404, "The endpoint or resource does not exist. `details` says which."],
  CONTACT_NOT_FOUND: [404, "No such contact in this project."],
  TEMPLATE_NOT_FOUND: [404, "No such template in this project."],
  CAMPAIGN_NOT_FOUND: [404, "No such campaign in this project."],
  SEGMENT_NOT_FOUND: [404, "No such segment in this project."],
  WORKFLOW_NOT_FOUND: [404, "No such workflow in this project."],
  DOMAIN_NOT_FOUND: [404, "No such sender domain in this project."],
  METHOD_NOT_ALLOWED: [405, "The path exists, but not with this method. `Allow` lists its methods."],
  REQUEST_TIMEOUT: [408, "The body did not arrive in time. Nothing was done."],
  CONFLICT: [409, "The request conflicts with the current state."],
  IDEMPOTENCY_KEY_REUSED: [
    409,
    "The key was used before. `details.sameRequest` says whether by the same request, whose answer is in " +
      "`details.originalResponse`.",
  ],
  CONTENT_GONE: [410, "The content of this email is no longer stored; its record and its events still are."],
  VERSION_MISMATCH: [
    412,
    "`If-Match` names a version other than the current one, `details.current`. Nothing was changed.",
  ],
  PAYLOAD_TOO_LARGE: [413, "The body is larger than this endpoint accepts."],
  VALIDATION_ERROR: [422, "Some fields are not valid. `errors` lists them."],
  RATE_LIMIT_EXCEEDED: [429, "A rate limit is used up. `Retry-After` says when to try again."],
  INTERNAL_SERVER_ERROR: [
    500,
    "Something went wrong on our side. With status 403: the sender domain is not a verified domain of the project.",
  ],
  EXTERNAL_SERVICE_ERROR: [
    503,
    "An external service that the call needs does not answer. `Retry-After` says when to try again.",
  ],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorCode = keyof typeof errorCodes;
