import type { Actor } from "./audit/call";
import { asId, type Id, publicId, textOf } from "./ids";
import { type Identified, isNamed, type Named, ofInstallation, type Resource } from "./resource";
import { iso } from "./time";

/** An error in one field of a request. `field` is a dot path: `attachments.0.filename`. */
export interface FieldFault {
  field: string;
  message: string;
  code: FieldCode;
  received?: unknown;
}

export type FieldCode =
  | "invalid_type"
  | "invalid_string"
  | "too_small"
  | "too_big"
  | "invalid_enum_value"
  | "required"
  | "reserved_event"
  | "custom";

interface Advice {
  /** The next step for the caller, in one sentence. */
  suggestion?: string;
  details?: Record<string, unknown>;
  cause?: unknown;
}

/**
 * A refused request, with a sentence for the customer. Verbs throw refusals, and only `http/failure.ts` knows the
 * status and code of each. Any other error is our own fault, and its text remains internal.
 */
export abstract class Refusal extends Error {
  readonly suggestion: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(message: string, advice: Advice = {}) {
    super(message, { cause: advice.cause });
    this.name = new.target.name;
    this.suggestion = advice.suggestion;
    this.details = advice.details;
  }
}

export class BadRequest extends Refusal {}

export class NotAuthenticated extends Refusal {}

/** A provider's report without a valid signature. */
export class Untrusted extends Refusal {}

/** A call from a page of another site to a route that only programs and our own pages may call. */
export class ForeignOrigin extends Refusal {
  constructor(origin: string) {
    super("Pages of other sites may not call this endpoint. Nothing was done.", {
      suggestion: "Call it from a server or from a program on your machine, which send no Origin header.",
      details: { origin: origin.slice(0, 200) },
    });
  }
}

export class ProjectDisabled extends Refusal {
  constructor() {
    super("This project is disabled: it can be read but not changed, and it sends no mail.", {
      suggestion: "Ask the operator of this installation to enable it.",
    });
  }
}

/** A key of kind `read`, used in a call that might change something. */
export class ReadOnlyKey extends Refusal {
  constructor() {
    super("This key may only read, and this call may change something. Nothing was done.", {
      suggestion: "Use a key of kind secret.",
    });
  }
}

export class NotFound extends Refusal {
  constructor(resource: Named, name: string);
  constructor(resource: Identified, id: Id, field?: string);
  constructor(
    readonly resource: Resource,
    idOrName: Id | string,
    /** The field of the body that contains the id. Given for a large body, in which the id is hard to find. */
    field?: string,
  ) {
    const text = typeof idOrName === "string" ? idOrName : textOf(idOrName);
    const id = isNamed(resource) ? text : publicId(asId(text));
    const isAddress = resource === "contact" && id.includes("@");
    const where = ofInstallation.includes(resource) ? "" : " in this project";
    super(`No ${resource} ${id}${where}${field === undefined ? "" : ` (named by ${field})`}.`, {
      suggestion: isAddress
        ? `Use the contact's id: GET /contacts?email=${encodeURIComponent(id)} finds it.`
        : `Check the ${isNamed(resource) ? "name" : "id"}${where && ", and that it belongs to the project of this call"}.`,
      details: { resource, id, ...(field !== undefined && { field }) },
    });
  }
}

export class UnknownRoute extends Refusal {
  /** `advice` is a sentence that names the nearest endpoint. */
  constructor(method: string, path: string, advice: string | null = null) {
    super(`There is no endpoint ${method} ${path}.`, {
      suggestion: `${advice === null ? "" : `${advice} `}See /docs/reference for all endpoints.`,
      details: { resource: "route", id: path },
    });
  }
}

export class MethodNotAllowed extends Refusal {
  readonly allowed: string[];

  constructor(method: string, path: string, { allowed, advice = null }: { allowed: string[]; advice?: string | null }) {
    const methods = allowed.join(" or ");
    const suggestion = advice === null ? `Use ${methods}.` : `${advice} This path takes ${methods}.`;
    super(`${path} does not support ${method}.`, { suggestion, details: { allowed } });
    this.allowed = allowed;
  }
}

export class Conflict extends Refusal {}

interface ChangedVersion {
  version: number;
  updatedAt: number;
  /**
   * The caller that made the last change. Null when nothing has changed the resource, and absent for resources without
   * an audit log.
   */
  changedBy?: Pick<Actor, "kind" | "name"> | null;
}

/** The call names a version, but the resource has changed since. */
export class VersionMismatch extends Refusal {
  constructor(sent: number, { version, updatedAt, changedBy }: ChangedVersion) {
    super(`The call names version ${sent}, but the current version is ${version}. Nothing was changed.`, {
      suggestion: "Read the resource again, apply your change to it, and send its version in If-Match.",
      details: {
        ...{ sent, current: version, changedAt: iso(updatedAt) },
        ...(changedBy !== undefined && { changedBy }),
      },
    });
  }
}

/** The resource existed, but is no longer stored. */
export class Gone extends Refusal {}

export class RateLimited extends Refusal {
  constructor(
    bucket: string,
    readonly retryAfterSeconds: number,
  ) {
    super(`Too many requests: the project's ${bucket} limit is used up.`, {
      suggestion: `Wait ${retryAfterSeconds} s, and spread requests over time.`,
      details: { bucket, retryAfter: retryAfterSeconds },
    });
  }
}

export class TooLarge extends Refusal {
  /** `what` names what is too large; by default, it is the body. */
  constructor(
    maxBytes: number,
    {
      what = "The request body",
      suggestion = "Send less in one call, or split it into several calls.",
    }: { what?: string; suggestion?: string } = {},
  ) {
    super(`${what} is larger than the ${maxBytes} bytes allowed here.`, { suggestion, details: { maxBytes } });
  }
}

/**
 * A body that stopped arriving or is too slow as a whole. Other requests wait for the memory that the body occupies, so
 * both cases have a time limit.
 */
export class TooSlow extends Refusal {
  constructor(maxSeconds: number, what: "stalled" | "slow" = "stalled") {
    const seen = what === "stalled" ? `stopped arriving for ${maxSeconds}` : `did not arrive within ${maxSeconds}`;
    super(`The request body ${seen} seconds. Nothing was done.`, {
      suggestion: "Send the request again, with its whole body, over a faster connection or with smaller attachments.",
      details: { maxSeconds },
    });
  }
}

/** An external service does not answer. Nothing was done, and the same request may succeed later. */
export class Unavailable extends Refusal {
  readonly retryAfterSeconds: number;

  constructor(message: string, { retryAfterSeconds, ...advice }: Advice & { retryAfterSeconds: number }) {
    super(message, advice);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The maximum number of faults that the message of an error describes. `errors` contains all of them. */
const maxDescribed = 3;
const maxNameLength = 100;

/** Returns the name of a field, shortened because the name may come from the caller. */
function nameOf({ field }: FieldFault): string {
  return field === "" ? "body" : field.slice(0, maxNameLength).toWellFormed();
}

/**
 * The request can be parsed but is not valid; `faults` contains every error. The message describes them too, because
 * many clients show only the message.
 */
export class Invalid extends Refusal {
  constructor(readonly faults: FieldFault[]) {
    // The messages of some faults end with a full stop.
    const described = faults
      .slice(0, maxDescribed)
      .map((fault) => `${nameOf(fault)}: ${fault.message.replace(/\.$/, "")}`);
    const others = [...new Set(faults.slice(maxDescribed).map(nameOf))];
    const rest = others.length === 0 ? "" : `. Also ${others.join(", ")}`;
    super(`Request validation failed. ${described.join(". ")}${rest}.`, {
      suggestion: "Correct the fields listed in errors and send the request again.",
    });
  }
}
