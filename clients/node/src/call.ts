/** The answer to a call. When awaited, it is the answer's data. */
export interface Call<Data> extends Promise<Data> {
  /** The data with the response that it came in, for its status and headers. */
  withResponse(): Promise<{ data: Data; response: Response }>;
}

/**
 * The answer to a call for a list. When awaited, it is the first page; `for await` goes through the items of all pages.
 */
export interface List<Page, Item> extends Call<Page>, AsyncIterable<Item> {}

/** The data of an answer. An answer `{ success, data, warnings }` becomes its `data` together with `warnings`. */
export type Answer<Body> = Body extends { success: true; data: infer Data }
  ? Data & Omit<Body, "success" | "data">
  : Body;

/** Names a property that no answer has. It only carries a type. */
export declare const jobResult: unique symbol;

/** An answer that names a job, with the type of the job's final `result`. `until` waits for the job. */
export type Starting<Started, Result> = Started & { readonly [jobResult]?: Result };

export interface Options {
  /** Aborts the call, and its retries. */
  signal?: AbortSignal;
  /** The longest that one attempt may take. */
  timeoutMs?: number;
  /** The most repeats of a failed attempt, where repeating is safe. */
  maxRetries?: number;
}

export interface KeyedOptions extends Options {
  /** Calls with the same key have one effect. A call without one makes its own key. */
  idempotencyKey?: string;
}

export interface VersionedOptions extends Options {
  /**
   * The `version` that you have read. If there is a newer one, the call changes nothing and throws a
   * `VersionMismatchError`.
   */
  ifMatch?: number;
}

/** A query, in which the words `true` and `false` may be sent as booleans. */
export type QueryOf<Query> = {
  [Name in keyof Query]: "true" extends Query[Name] ? Query[Name] | boolean : Query[Name];
};

/** A body that is sent as a form. A file may be given as its text. */
export type FormOf<Body> = {
  [Name in keyof Body]: Blob extends Body[Name] ? Body[Name] | string : Body[Name];
};
