import type { Context as HonoContext } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import {
  BadRequest,
  Conflict,
  ForeignOrigin,
  Gone,
  Invalid,
  MethodNotAllowed,
  NotAuthenticated,
  NotFound,
  ProjectDisabled,
  RateLimited,
  ReadOnlyKey,
  Refusal,
  TooLarge,
  TooSlow,
  Unavailable,
  UnknownRoute,
  Untrusted,
  VersionMismatch,
} from "../core/errors";
import { InvalidIdempotencyKey, KeyReused } from "../core/idempotency-errors";
import { MonthlyLimitReached, SendingPaused, TooManySending, UnverifiedSender } from "../core/mail/errors";
import { CrossSiteWrite, ProofNeeded, RoleTooLow } from "../core/people/errors";
import type { Resource } from "../core/resource";
import { StorageOutOfReach } from "../core/storage-errors";
import { StorageLimitReached } from "../core/storage-limit";
import { DatabaseAway, troubleOf } from "../db/trouble";
import { FilesAway } from "../platform/blobs";
import { log, reasonOf, traceOf } from "../platform/log";
import type { ErrorCode } from "./error-codes";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";
import { routeOf } from "./routing";

interface Answer {
  status: ContentfulStatusCode;
  code: ErrorCode;
}

/** The status and code of every refusal. No other place sets them. */
const answers = new Map<unknown, Answer>([
  [BadRequest, { status: 400, code: "BAD_REQUEST" }],
  [InvalidIdempotencyKey, { status: 400, code: "INVALID_IDEMPOTENCY_KEY" }],
  [NotAuthenticated, { status: 401, code: "INVALID_API_KEY" }],
  [StorageLimitReached, { status: 402, code: "STORAGE_LIMIT_EXCEEDED" }],
  [MonthlyLimitReached, { status: 402, code: "BILLING_LIMIT_EXCEEDED" }],
  [ForeignOrigin, { status: 403, code: "ORIGIN_NOT_ALLOWED" }],
  [Untrusted, { status: 403, code: "INVALID_SIGNATURE" }],
  [ProjectDisabled, { status: 403, code: "PROJECT_DISABLED" }],
  [ReadOnlyKey, { status: 403, code: "READ_ONLY_KEY" }],
  [RoleTooLow, { status: 403, code: "ROLE_TOO_LOW" }],
  [ProofNeeded, { status: 403, code: "PROOF_NEEDED" }],
  [CrossSiteWrite, { status: 403, code: "ORIGIN_NOT_ALLOWED" }],
  [SendingPaused, { status: 403, code: "SENDING_PAUSED" }],
  // The API's contract requires this odd pair of status and code, and clients check for exactly this pair.
  [UnverifiedSender, { status: 403, code: "INTERNAL_SERVER_ERROR" }],
  [UnknownRoute, { status: 404, code: "RESOURCE_NOT_FOUND" }],
  [TooSlow, { status: 408, code: "REQUEST_TIMEOUT" }],
  [MethodNotAllowed, { status: 405, code: "METHOD_NOT_ALLOWED" }],
  [Conflict, { status: 409, code: "CONFLICT" }],
  [TooManySending, { status: 409, code: "CONFLICT" }],
  [KeyReused, { status: 409, code: "IDEMPOTENCY_KEY_REUSED" }],
  [Gone, { status: 410, code: "CONTENT_GONE" }],
  [VersionMismatch, { status: 412, code: "VERSION_MISMATCH" }],
  [TooLarge, { status: 413, code: "PAYLOAD_TOO_LARGE" }],
  [Invalid, { status: 422, code: "VALIDATION_ERROR" }],
  [RateLimited, { status: 429, code: "RATE_LIMIT_EXCEEDED" }],
  [Unavailable, { status: 503, code: "EXTERNAL_SERVICE_ERROR" }],
  [StorageOutOfReach, { status: 503, code: "EXTERNAL_SERVICE_ERROR" }],
]);

/** Resources that have a 404 code of their own. */
const notFoundCodes: Partial<Record<Resource, ErrorCode>> = {
  contact: "CONTACT_NOT_FOUND",
  template: "TEMPLATE_NOT_FOUND",
  campaign: "CAMPAIGN_NOT_FOUND",
  segment: "SEGMENT_NOT_FOUND",
  workflow: "WORKFLOW_NOT_FOUND",
  domain: "DOMAIN_NOT_FOUND",
};

function answerTo(refusal: Refusal): Answer {
  if (refusal instanceof NotFound) {
    return { status: 404, code: notFoundCodes[refusal.resource] ?? "RESOURCE_NOT_FOUND" };
  }
  const answer = answers.get(refusal.constructor);
  if (!answer) throw new Error(`${refusal.name} has no answer in the table`);
  return answer;
}

/**
 * Answers any thrown error with the error envelope. An error that is not a refusal is our fault, and its text only goes
 * to the log.
 */
export function answerFailure(thrown: Error, c: HonoContext<AppEnv>): Response {
  const refusal = thrown instanceof Refusal ? thrown : outOfReach(thrown, c);
  if (refusal === null || refusal instanceof StorageOutOfReach) {
    const call = { requestId: c.get("requestId"), route: `${c.req.method} ${routeOf(c)?.path}` };
    // A move refuses writes for a moment, which is not an error.
    if (troubleOf(thrown) === "fenced") log("info", "A write met the fence of a move", call);
    else log("error", "Request failed", { ...call, reason: reasonOf(thrown), trace: traceOf(thrown) });
  }
  if (refusal instanceof MethodNotAllowed) c.header("Allow", refusal.allowed.join(", "));
  if (refusal instanceof RateLimited || refusal instanceof Unavailable) {
    c.header("Retry-After", String(refusal.retryAfterSeconds));
  }
  const envelope = envelopeOf(refusal, c.get("requestId"), new Date().toISOString());
  return c.json(envelope, envelope.error.statusCode);
}

/** Returns the body of an error response. A null refusal stands for an error of our own. */
export function envelopeOf(refusal: Refusal | null, requestId: string, timestamp: string) {
  const { status, code } = refusal ? answerTo(refusal) : ourFault;
  const message = refusal?.message ?? "Something went wrong on our side.";
  const suggestion = refusal ? refusal.suggestion : tryAgain;
  const error = {
    code,
    message,
    statusCode: status,
    requestId,
    ...(refusal instanceof Invalid ? { errors: refusal.faults } : {}),
    ...(refusal?.details ? { details: refusal.details } : {}),
    suggestion,
  };
  // Clients that expect other error bodies, such as Plunk's, show this message.
  const whole = suggestion === undefined ? message : `${message} ${suggestion}`;
  return { success: false as const, message: whole, error, timestamp };
}

const ourFault: Answer = { status: 500, code: "INTERNAL_SERVER_ERROR" };
const tryAgain = "Try again. If the error persists, give the requestId to the operator.";

/**
 * Returns the refusal for a failure of the database or of file storage; null for other errors. The refusal says whether
 * the request may have had an effect: through the failed query itself, or through a batch that was committed before the
 * failure.
 */
function outOfReach(thrown: Error, c: HonoContext<AppEnv>): StorageOutOfReach | null {
  const away = thrown instanceof DatabaseAway ? thrown : null;
  const trouble = troubleOf(thrown);
  const areFilesAway = thrown instanceof FilesAway;
  if (away === null && trouble === null && !areFilesAway) return null;
  const isMoving = trouble === "fenced";
  const policy = c.get("policy");
  const isRead = policy.isRead || c.req.method === "GET" || c.req.method === "HEAD";
  const hasBegun = !isForProject(policy) || c.get("ctx") !== undefined;
  const mayHaveBegun = hasBegun && !isRead && !areFilesAway && trouble !== "overloaded" && !isMoving;
  const own = away?.effect ?? (mayHaveBegun ? "unknown" : "none");
  const before = c.get("platform").spent.changes > 0 ? "unknown" : "none";
  return new StorageOutOfReach({
    what: areFilesAway ? "file storage" : isMoving ? "moving project" : "database",
    effect: own === "none" ? before : own,
    hasKey: policy.once && c.req.header("Idempotency-Key") !== undefined,
    cause: thrown,
  });
}
