/** Answers a request as the Worker does. */
export type AnswerRequest = (request: Request) => Promise<Response>;

/** A call of one of the Worker's own routes, made while another request is handled. */
export interface InsideCall {
  method: "GET" | "POST";
  path: string;
  /** The text of a JSON body. */
  body?: string;
  /** Headers that override those of the outer request. Null omits a header of the outer request. */
  headers?: Record<string, string | null>;
}

/** Makes a call inside another request, with the rights of that request's caller. */
export type CallInside = (call: InsideCall) => Promise<Response>;
