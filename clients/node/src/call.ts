/** The answer to a call. Awaited, it is the answer's data. */
export interface Call<Data> extends Promise<Data> {
  /** The data with the response that it came in, for its status and headers. */
  withResponse(): Promise<{ data: Data; response: Response }>;
}

/** The answer to a call for a list. Awaited, it is the first page; `for await` goes through the items of all pages. */
export interface List<Page, Item> extends Call<Page>, AsyncIterable<Item> {}

/** The data of an answer: what is inside `{ success, data }` stands beside `warnings` and the like. */
export type Answer<Body> = Body extends { success: true; data: infer Data }
  ? Data & Omit<Body, "success" | "data">
  : Body;

export interface Options {
  /** Ends the call, and its retries. */
  signal?: AbortSignal;
  /** For how long one attempt may take. */
  timeoutMs?: number;
  /** How often a failed attempt is repeated, where that is safe. */
  maxRetries?: number;
}

export interface KeyedOptions extends Options {
  /** Of calls with the same key, one has an effect. Each call has its own unless you give one. */
  idempotencyKey?: string;
}

/** A body that is sent as a form. A file may be its text. */
export type FormOf<Body> = {
  [Name in keyof Body]: Blob extends Body[Name] ? Body[Name] | string : Body[Name];
};
