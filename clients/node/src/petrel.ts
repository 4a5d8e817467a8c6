import type { jobResult, Options } from "./call.js";
import { JobFailedError } from "./errors.js";
import { type api, type Operations, operations } from "./generated/operations.gen.js";
import { methodsOf } from "./methods.js";
import { pause, type Settings } from "./request.js";

export interface PetrelOptions extends Omit<Options, "signal"> {
  /** `sk_…`, `pk_…`, or the operator's token. */
  key: string;
  /** The address of the service, such as `https://mail.acme.com`. */
  baseUrl: string;
  /** Called in place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface UntilOptions {
  /** Called with the job each time it is read. */
  onProgress?(job: api.Job): void;
  /** Ends the wait, but not the job. */
  signal?: AbortSignal;
}

/** Every method comes from the OpenAPI document: see `Operations`. */
export interface Petrel extends Operations {}

/**
 * The API of one project. Methods take the parts of the path, then the body, then the query, then options:
 *
 * ```ts
 * const petrel = new Petrel({ key: "sk_…", baseUrl: "https://mail.acme.com" });
 * await petrel.emails.send({ to: "ada@example.com", from: "hello@acme.com", subject: "Hi", body: "<p>Hi</p>" });
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: a getter for each operation is made of the table, below
export class Petrel {
  readonly #settings: Settings;

  constructor({ key, baseUrl, fetch: given, timeoutMs = 60_000, maxRetries = 2 }: PetrelOptions) {
    if (!key) throw new TypeError("Petrel needs a key, such as sk_…");
    if (!baseUrl) throw new TypeError("Petrel needs the baseUrl of the service, such as https://mail.acme.com");
    this.#settings = {
      key,
      baseUrl: baseUrl.replace(/\/+$/, ""),
      // `fetch` must not be called with the settings as its `this`, because Workers refuse such a call.
      fetch: given ?? ((...call) => globalThis.fetch(...call)),
      timeoutMs,
      maxRetries,
    };
  }

  static {
    for (const [group, paths] of Object.entries(operations)) {
      Object.defineProperty(Petrel.prototype, group, {
        get(this: Petrel) {
          const value = methodsOf(this.#settings, group, paths);
          Object.defineProperty(this, group, { value });
          return value;
        },
      });
    }
  }

  /**
   * Waits for the job that a call has started, and returns it when it is completed. Throws JobFailedError if it fails.
   * An answer without a job means that the work was done at once: the answer is then the `result`.
   */
  async until<Started extends string | object>(
    started: Started | Promise<Started>,
    { onProgress, signal }: UntilOptions = {},
  ): Promise<FinishedJob<ResultOf<Started>>> {
    const answer: string | object = await started;
    if (typeof answer === "object" && !hasJob(answer)) return finished(answer);
    const jobId = typeof answer === "string" ? answer : answer.jobId;
    const isOperator = !/^[sp]k_/.test(this.#settings.key);
    const options = signal ? { signal } : {};
    for (let waitMs = 200; ; waitMs = Math.min(waitMs * 1.5, 5000)) {
      const job = await (isOperator ? this.admin.getJob(jobId, options) : this.jobs.get(jobId, options));
      onProgress?.(job);
      if (job.status === "completed") return { ...job, result: job.result as ResultOf<Started> | null };
      if (job.status === "failed") throw new JobFailedError(job);
      await pause(waitMs, signal);
    }
  }
}

interface WithJob {
  jobId: string;
}

/**
 * The type of a job's result, as the document declares it; otherwise what the same call returns when it is done at
 * once.
 */
export type ResultOf<Started> = typeof jobResult extends keyof Started
  ? NonNullable<Started[typeof jobResult]>
  : [Exclude<Started, string | WithJob>] extends [never]
    ? Record<string, unknown>
    : Exclude<Started, string | WithJob>;

export interface FinishedJob<Result> extends Omit<api.Job, "result"> {
  result: Result | null;
}

function hasJob(answer: object): answer is WithJob {
  return "jobId" in answer;
}

function finished<Result>(answer: object): FinishedJob<Result> {
  const now = new Date().toISOString();
  // An answer without a job is the result itself.
  const result = answer as Result;
  return {
    jobId: "",
    type: "",
    status: "completed",
    progress: 100,
    result,
    errors: [],
    createdAt: now,
    completedAt: now,
  };
}
