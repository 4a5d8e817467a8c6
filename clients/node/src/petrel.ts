import type { Options } from "./call.js";
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
  /** Called with the job each time it was read. */
  onProgress?(job: api.Job): void;
  /** Ends the wait, not the job. */
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
      // Called without the settings as its `this`, which Workers refuse.
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
   * Waits for the job that a call has started, and returns it when it is completed. Throws JobFailedError if it fails. An
   * answer without a job is work that was done at once.
   */
  async until(started: Started | Promise<Started>, { onProgress, signal }: UntilOptions = {}): Promise<api.Job> {
    const answer = await started;
    // An answer's `jobId` is the id of a job wherever there is one.
    const { jobId, ...result } = typeof answer === "string" ? { jobId: answer } : (answer as { jobId?: string });
    if (jobId === undefined) return doneAtOnce(result);
    const isOperator = !/^[sp]k_/.test(this.#settings.key);
    const options = signal ? { signal } : {};
    for (let waitMs = 200; ; waitMs = Math.min(waitMs * 1.5, 5000)) {
      const job = await (isOperator ? this.admin.getJob(jobId, options) : this.jobs.get(jobId, options));
      onProgress?.(job);
      if (job.status === "completed") return job;
      if (job.status === "failed") throw new JobFailedError(job);
      await pause(waitMs, signal);
    }
  }
}

/** The id of a job, or the answer to a call. */
type Started = string | object;

function doneAtOnce(result: Record<string, unknown>): api.Job {
  const now = new Date().toISOString();
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
