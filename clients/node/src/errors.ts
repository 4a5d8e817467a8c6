import type { api, ErrorCode } from "./generated/operations.gen.js";

/** A field with a fault. */
export type FieldFault = NonNullable<api.Error["error"]["errors"]>[number];

interface Refusal {
  /** Zero when no answer arrived. */
  status?: number;
  code?: ErrorCode;
  errors?: FieldFault[];
  suggestion?: string;
  requestId?: string;
  details?: Record<string, unknown>;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** A refusal, or no answer at all. The message says what is wrong and what to do. */
export class PetrelError extends Error {
  override name = "PetrelError";
  /** Zero when no answer arrived. */
  readonly status: number;
  readonly code: ErrorCode;
  /** Every field with a fault. */
  readonly fields: FieldFault[];
  /** The next thing to do. */
  readonly suggestion: string | undefined;
  /** Identifies the call in the log of the service. */
  readonly requestId: string | undefined;
  readonly details: Record<string, unknown>;
  /** After how many seconds the service asks to try again. */
  readonly retryAfter: number | undefined;

  constructor(message: string, refusal: Refusal = {}) {
    super(message, "cause" in refusal ? { cause: refusal.cause } : {});
    this.status = refusal.status ?? 0;
    this.code = refusal.code ?? "";
    this.fields = refusal.errors ?? [];
    this.suggestion = refusal.suggestion;
    this.requestId = refusal.requestId;
    this.details = refusal.details ?? {};
    this.retryAfter = refusal.retryAfter;
  }
}

/** No complete answer arrived, so it is unknown whether the call had its effect. */
export class ConnectionError extends PetrelError {
  override name = "ConnectionError";
}

/** `fields` contains every field with a fault. Nothing was done. */
export class ValidationError extends PetrelError {
  override name = "ValidationError";
}

/** The key is missing, unknown, revoked, or of the wrong kind. */
export class AuthenticationError extends PetrelError {
  override name = "AuthenticationError";
}

/** The project's limit is used up. Nothing was done. */
export class LimitError extends PetrelError {
  override name = "LimitError";
}

/** The key or the project may not do this now. */
export class PermissionError extends PetrelError {
  override name = "PermissionError";
}

/** `details.domain` is not a verified domain of the project. */
export class DomainNotVerifiedError extends PermissionError {
  override name = "DomainNotVerifiedError";
}

/** `details` says what was not found. */
export class NotFoundError extends PetrelError {
  override name = "NotFoundError";
}

/** The call contradicts the current state. */
export class ConflictError extends PetrelError {
  override name = "ConflictError";
}

/** The `Idempotency-Key` was used for another call, or for one that is still running. */
export class KeyReusedError extends ConflictError {
  override name = "KeyReusedError";
}

/** The resource has changed since the version in `ifMatch`: `details.current` is the present one. */
export class VersionMismatchError extends PetrelError {
  override name = "VersionMismatchError";
}

/** A rate limit is used up: `retryAfter` says for how long. */
export class RateLimitError extends PetrelError {
  override name = "RateLimitError";
}

/** An error of the service itself. */
export class ServerError extends PetrelError {
  override name = "ServerError";
}

/** A job that `until` waited for has failed. */
export class JobFailedError extends PetrelError {
  override name = "JobFailedError";
  readonly job: api.Job;

  constructor(job: api.Job) {
    const reasons = job.errors.map(({ reason }) => reason).filter((reason) => typeof reason === "string");
    super(`The job ${job.jobId} (${job.type}) has failed: ${reasons.at(-1) ?? "no reason is known"}`);
    this.job = job;
  }
}

const byStatus: Record<number, typeof PetrelError> = {
  401: AuthenticationError,
  402: LimitError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: VersionMismatchError,
  422: ValidationError,
  429: RateLimitError,
};

export function errorOf({ status, headers }: Response, answer: unknown): PetrelError {
  const isTold = isObject(answer) && typeof answer.message === "string";
  const message = isTold ? `${answer.message}` : `The service answered ${status} and gave no reason.`;
  const refusal = { ...refusalIn(answer), status, retryAfter: secondsIn(headers.get("Retry-After")) };
  return new (classOf(status, refusal))(message, refusal);
}

function refusalIn(answer: unknown): Refusal {
  if (!isObject(answer)) return {};
  // Some routes report missing fields in a flat form, with `error` as a string.
  if (typeof answer.error === "string") return { ...answer, code: "VALIDATION_ERROR" };
  return isObject(answer.error) ? answer.error : {};
}

function classOf(status: number, { code, errors, details }: Refusal): typeof PetrelError {
  if (details?.reason === "domain_not_verified") return DomainNotVerifiedError;
  if (code === "IDEMPOTENCY_KEY_REUSED") return KeyReusedError;
  if (errors?.length) return ValidationError;
  return byStatus[status] ?? (status >= 500 ? ServerError : PetrelError);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Reads `Retry-After`, which is a number of seconds or a date. */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}
