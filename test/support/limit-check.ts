import { QueueMessage } from "../../src/core/messages";
import { Spent } from "../../src/db/spent";
import { queueLimits } from "./limited-queue";
import { isOfProduct } from "./tenant-check";

/**
 * The documented limits of D1 (https://developers.cloudflare.com/d1/platform/limits/), each less a fifth: a statement of
 * ours that comes near one fails its test. Local D1 takes more than the documents say. A row has no more bytes than the values
 * of the statement that writes it, unless the statement adds to what is there.
 */
const limits = { parameters: 80, textBytes: 80_000, valueBytes: 1_600_000, patternBytes: 40, statements: 800 };

/** The same of Queues. The fifth has the metadata of messages. */
const callLimits = { messageBytes: queueLimits.messageBytes * 0.8, callBytes: queueLimits.callBytes * 0.8 };

/**
 * A condition of a hundred filters, the most that a caller may send, and 30 deep has 86 KB. Nothing makes it longer, because
 * names of fields and values are parameters.
 */
const condition = { start: "WITH a (v) AS (SELECT ?)", textBytes: 90_000 };

const faults = new Set<string>();

/** What passed a limit since the last look. */
export function limitFaults(): string[] {
  const found = [...faults];
  faults.clear();
  return found;
}

const utf8 = new TextEncoder();

/** Looks from here on at every statement, of whatever database, at what each invocation spends, and at every call of a queue. */
export function watchLimits(database: D1Database, queue: Queue): void {
  // All statements share one class, and files share an isolate.
  const shared: { bind: D1PreparedStatement["bind"]; isWatched?: true } = Object.getPrototypeOf(
    database.prepare("SELECT 1"),
  );
  if (shared.isWatched) return;
  const { bind } = shared;
  shared.isWatched = true;
  shared.bind = function (this: D1PreparedStatement & { statement?: string }, ...values: unknown[]) {
    const text = this.statement ?? "";
    const most = text.startsWith(condition.start) ? condition.textBytes : limits.textBytes;
    note(text, "parameters", values.length, limits.parameters);
    note(text, "bytes of SQL", bytesOf(text, most), most);
    note(text, "bytes in the values of one statement", bytesOfAll(values), limits.valueBytes);
    for (const pattern of patternsOf(text, values)) {
      note(text, "bytes in a pattern", bytesOf(pattern, limits.patternBytes), limits.patternBytes);
    }
    return bind.apply(this, values);
  };
  watchSpending();
  const calls: Pick<Queue, "sendBatch"> = Object.getPrototypeOf(queue);
  const { sendBatch } = calls;
  calls.sendBatch = function (this: Queue, messages, ...rest) {
    const sent = [...messages];
    noteMessages(sent);
    return sendBatch.call(this, sent, ...rest);
  };
}

/** A process of a test counts for itself, and a test may call the Worker without one. */
function watchSpending(): void {
  const { spend } = Spent.prototype;
  Spent.prototype.spend = function (statements) {
    const before = this.statements;
    spend.call(this, statements);
    if (before <= limits.statements && this.statements > limits.statements)
      faults.add(`An invocation made ${this.statements} statements, and ${limits.statements} are 80 % of what it may`);
  };
}

/** Looks at messages that share a call. */
export function noteMessages(messages: readonly MessageSendRequest[]): void {
  const sizes = messages.map(({ body }) => utf8.encode(JSON.stringify(body)).length);
  const found: [found: number, most: number, what: string][] = [
    [messages.length, queueLimits.callMessages, "messages in a call"],
    [Math.max(0, ...sizes), callLimits.messageBytes, "bytes in a message"],
    [sizes.reduce((sum, size) => sum + size, 0), callLimits.callBytes, "bytes in a call"],
  ];
  for (const { body } of messages) {
    if (!QueueMessage.safeParse(JSON.parse(JSON.stringify(body))).success)
      faults.add(`A message that our own consumer puts back: ${JSON.stringify(body).slice(0, 200)}`);
  }
  const over = found.find(([found, most]) => found > most);
  if (over) faults.add(`${over[0]} ${over[2]} of a queue, and ${over[1]} are what it surely takes`);
}

/** Counts only where it matters: a text has at most three bytes for each of its units. */
function bytesOf(text: string, most: number): number {
  return text.length * 3 <= most ? text.length : utf8.encode(text).length;
}

function bytesOfAll(values: readonly unknown[]): number {
  const texts = values.filter((value) => typeof value === "string");
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  return units * 3 <= limits.valueBytes ? units : texts.reduce((sum, text) => sum + utf8.encode(text).length, 0);
}

/** Literals and parameters, some of which follow a LIKE or GLOB. A question mark in a literal is no parameter. */
const token = /(\b(?:LIKE|GLOB)\s+)?('(?:[^']|'')*'|\?(\d*))/gi;

/** The patterns of LIKE and GLOB that the statement itself has, or is given. */
function patternsOf(text: string, values: readonly unknown[]): string[] {
  if (!/\b(LIKE|GLOB)\b/i.test(text)) return [];
  const found: string[] = [];
  let index = 0;
  for (const [, isPattern, literal = "", number] of text.matchAll(token)) {
    const value = number === undefined ? literal.slice(1, -1) : values[number === "" ? index++ : Number(number) - 1];
    if (isPattern && typeof value === "string") found.push(value);
  }
  return found;
}

function note(text: string, what: string, found: number, most: number): void {
  // Tests seed more at once than the product writes.
  if (found > most && isOfProduct(new Error().stack ?? ""))
    faults.add(`${found} ${what}, and ${most} are 80 % of what D1 takes: ${text.slice(0, 200)}`);
}
