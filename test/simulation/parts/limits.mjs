/** What the platform allows, by its pages. Code that goes beyond fails, and so does the world. */
export const limits = {
  /** https://developers.cloudflare.com/d1/platform/limits */
  database: { parameters: 100, statementBytes: 100_000, valueBytes: 2_000_000, statementsOfInvocation: 1_000 },
  /** https://developers.cloudflare.com/queues/platform/limits */
  queue: { messageBytes: 128_000, messages: 100, batchBytes: 256_000, delaySeconds: 43_200 },
  /** https://developers.cloudflare.com/durable-objects/platform/limits */
  object: { valueBytes: 2_000_000 },
  /** https://developers.cloudflare.com/r2/platform/limits */
  file: { keyBytes: 1_024, keysOfDelete: 1_000 },
};

/** https://github.com/cloudflare/workerd/blob/main/src/workerd/util/sqlite.c++ */
const ofSqlite = {
  length: 2_200_000,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  vdbeOp: 25_000,
  functionArg: 32,
  attach: 0,
  likePatternLength: 50,
  variableNumber: 100,
  triggerDepth: 10,
};

/** Gives SQLite the limits that it has in D1 and in objects. */
export function limitSqlite(sqlite) {
  Object.assign(sqlite.limits, ofSqlite);
}

/** Notes each limit that code of a world has passed, however it bears the error. */
export class Limits {
  passed = new Set();

  pass(what) {
    this.passed.add(what);
    throw new Error(what);
  }

  checkStatement({ sql, parameters }, invocation) {
    const { database } = limits;
    if (parameters.length > database.parameters) this.pass(`too many SQL variables: ${parameters.length} in ${sql}`);
    if (bytesOf(sql) > database.statementBytes) this.pass(`statement too long: ${sql.slice(0, 200)}`);
    const large = parameters.find((value) => bytesOf(value) > database.valueBytes);
    if (large !== undefined) this.pass(`string or blob too big: ${bytesOf(large)} bytes for ${sql}`);
    if (invocation === undefined) return;
    invocation.statements += 1;
    if (invocation.statements > database.statementsOfInvocation)
      this.pass(`more than ${database.statementsOfInvocation} statements of one invocation, the last: ${sql}`);
  }

  checkMessages(messages) {
    const { queue } = limits;
    const sizes = messages.map(({ body }) => bytesOf(JSON.stringify(body)));
    if (messages.length > queue.messages) this.pass(`${messages.length} messages in one batch`);
    if (sizes.some((size) => size > queue.messageBytes)) this.pass(`a message of ${Math.max(...sizes)} bytes`);
    if (sizes.reduce((sum, size) => sum + size, 0) > queue.batchBytes) this.pass("messages too large for one batch");
    if (messages.some(({ delaySeconds = 0 }) => delaySeconds > queue.delaySeconds))
      this.pass("a message delayed too long");
  }

  checkValue(key, value) {
    const size = bytesOf(key) + bytesOf(JSON.stringify(value) ?? "");
    if (size > limits.object.valueBytes) this.pass(`a value of ${size} bytes under ${key}`);
  }

  checkFiles(keys) {
    if (keys.length > limits.file.keysOfDelete) this.pass(`${keys.length} files deleted at once`);
    const long = keys.find((key) => bytesOf(key) > limits.file.keyBytes);
    if (long !== undefined) this.pass(`a file's key is too long: ${long}`);
  }
}

function bytesOf(value) {
  if (typeof value === "string") return value.length < 10_000 ? value.length : Buffer.byteLength(value);
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 8;
}
