/**
 * An expected failure. Its message is shown to the user without a stack, so it says what to do. `status` is that of an
 * HTTP answer.
 */
export class Failure extends Error {
  constructor(message, { status } = {}) {
    super(message);
    this.status = status;
  }
}

/** Whether a failed call may succeed when repeated: no answer came, or one that asks for patience. */
export function mayPass({ status }) {
  return status === undefined || status === 408 || status === 429 || status >= 500;
}
