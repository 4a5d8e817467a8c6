/** An end we foresaw. Its message is what the user reads, without a stack: say what to do. `status` is of an HTTP answer. */
export class Failure extends Error {
  constructor(message, { status } = {}) {
    super(message);
    this.status = status;
  }
}

/** Whether a call has failed in a way that may be over at the next one: no answer, or one that asks for patience. */
export function mayPass({ status }) {
  return status === undefined || status === 408 || status === 429 || status >= 500;
}
