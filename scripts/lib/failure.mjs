/** An end we foresaw. Its message is what the user reads, without a stack: say what to do. `status` is of an HTTP answer. */
export class Failure extends Error {
  constructor(message, { status } = {}) {
    super(message);
    this.status = status;
  }
}
