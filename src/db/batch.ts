import type { SQL } from "drizzle-orm";
import { chunksOf } from "../core/chunks";
import type { Id } from "../core/ids";
import type { Queued } from "../core/messages";
import { type Nudging, nudge } from "../core/nudge";
import type { CallEntry } from "./audit-entry";
import { type Db, dialect } from "./client";
import { failedGuard, isCheckViolation, isUniqueViolation } from "./conflicts";
import { type Repetition, runRepeatedly } from "./repeat";
import type { RawRow, RowReader } from "./rows";
import type { Spent } from "./spent";
import {
  guard,
  guardName,
  type InsertedEvent,
  isGuard,
  prepare,
  type Statement,
  type StatementRefusal,
} from "./statement";
import { DatabaseAway } from "./trouble";

/** The rows of one statement. They are available after the commit; reading them earlier throws. */
export interface Rows<Row> {
  readonly all: Row[];
  readonly first: Row | undefined;
  /** The row of a statement that always returns one. */
  readonly one: Row;
  readonly count: number;
}

/**
 * Statements that D1 runs as one transaction: in order, all or nothing, in one round trip. Each statement sees the
 * changes of the earlier ones.
 */
export interface Batch {
  /** Stops the whole batch unless the condition holds. `refuse` makes the error for the caller. */
  guard(condition: SQL, refuse: StatementRefusal["refuse"]): void;
  add<Row>(statement: Statement<Row>): Rows<Row>;
  /** Adds several statements whose rows are not needed. */
  addAll(statements: readonly Statement[]): void;
  /** Adds statements that run after all others, even after those that are added later. Their rows are not needed. */
  addLast(statements: readonly Statement[]): void;
  /**
   * Makes the batch recognisable. The condition holds once the batch has committed and never before, because it looks
   * for ids that the batch itself makes. After a lost answer, `commit` repeats a recognisable batch, which nevertheless
   * commits only once. If the batch had committed before its answer was lost, `Statement.again` finds its rows. If
   * several conditions are given, any one of them is enough.
   */
  recognise(hasCommitted: SQL): void;
  /**
   * Declares that running the batch twice has the same effect as running it once. `commit` then repeats the batch after
   * a lost answer.
   */
  mayRepeat(): void;
  /**
   * Runs the statements, announces the events among them, and sends their messages. Throws the error that the failing
   * statement's refusal makes, DatabaseAway, or otherwise the error of the database. If a message cannot be sent, a
   * sweep later finds the row of that message and sends the message again.
   */
  commit(): Promise<void>;
}

/** Everything that a batch needs from outside: a verb's `ctx`, or a platform. */
export interface BatchContext extends Nudging {
  /** A random number from 0 up to 1. */
  random(): number;
  sleep(ms: number): Promise<void>;
  spent: Spent;
  /** The audit entry of the call that makes the batch; absent or null for most calls. */
  callEntry?: CallEntry | null;
}

interface Added<Row> {
  statement: Statement<Row>;
  rows: CommittedRows<Row>;
}

export function openBatch(ctx: BatchContext & { db: Db }): Batch;
/** Opens a batch in one of the databases of a platform. */
export function openBatch(platform: BatchContext, db: Db): Batch;
export function openBatch(ctx: BatchContext & { db?: Db }, db = ctx.db): Batch {
  if (db === undefined) throw new Error("A batch has no database");
  const added: Added<unknown>[] = [];
  const last: Statement[] = [];
  const repetition: Repetition = { hasCommitted: [], mayRepeat: false };
  const add = <Row>(statement: Statement<Row>): Rows<Row> => {
    for (const one of statement.before ?? []) add(one);
    const rows = committedRows(statement.read);
    added.push({ statement, rows });
    return rows;
  };
  return {
    add,
    addAll(statements) {
      for (const statement of statements) add(statement);
    },
    addLast(statements) {
      last.push(...statements);
    },
    guard(condition, refuse) {
      add(guard(condition, refuse));
    },
    recognise(hasCommitted) {
      repetition.hasCommitted.push(hasCommitted);
    },
    mayRepeat() {
      repetition.mayRepeat = true;
    },
    async commit() {
      for (const statement of last.splice(0)) add(statement);
      if (added.length === 0) return;
      const entry = ctx.callEntry?.isWritten === false && added.some(isWrite) ? ctx.callEntry : null;
      if (entry) add(entry.insert);
      const statements = added.map(({ statement }) => statement);
      const results = await runRepeatedly(ctx, statements, repetition, (them) => run(db, ctx.spent, them));
      if (entry) entry.isWritten = true;
      added.forEach(({ rows }, index) => {
        rows.fill(results[index] ?? null);
      });
      const messages = added.flatMap(({ statement }, index) => statement.messages?.(results[index] ?? []) ?? []);
      const listenedTo = insertedEvents(added, results).filter(({ hasListener }) => hasListener);
      await nudge(ctx, [...announcements(listenedTo), ...messages]);
    },
  };
}

const writing = /\b(INSERT (OR \w+ )?INTO|UPDATE \w+|DELETE FROM)\b/;

function isWrite({ statement }: Added<unknown>): boolean {
  return !isGuard(statement) && writing.test(dialect.sqlToQuery(statement.sql).sql);
}

async function run(db: Db, spent: Spent, statements: readonly Statement[]): Promise<RawRow[][]> {
  spent.spend(statements.length);
  try {
    const results = await db.$client.batch<RawRow>(statements.map((statement, index) => prepare(db, statement, index)));
    if (results.some(({ meta }) => meta.changed_db)) spent.changes += 1;
    return results.map(({ results }) => results);
  } catch (error) {
    const refusal = refusalFor(error, statements);
    throw refusal ? await refusal.refuse() : error;
  }
}

function refusalFor(error: unknown, statements: readonly Statement[]): StatementRefusal | undefined {
  const failed = failedGuard(error);
  for (const [index, statement] of statements.entries()) {
    const refusal = statement.refusals.find(({ on }) => {
      if (on === "guard") return failed === guardName(index);
      return "unique" in on ? isUniqueViolation(error, on.unique) : isCheckViolation(error, on.check);
    });
    if (refusal) return refusal;
  }
  return undefined;
}

interface CommittedRows<Row> extends Rows<Row> {
  /** Fills in the rows. Null means that the statement has run but its rows are lost. */
  fill(raw: RawRow[] | null): void;
}

function committedRows<Row>(read: RowReader<Row>): CommittedRows<Row> {
  let raw: RawRow[] | null | undefined;
  let rows: Row[] | null = null;
  const filled = () => {
    if (raw === undefined) throw new Error("The rows of a batch were asked for before its commit");
    if (raw === null) throw new DatabaseAway("done");
    return raw;
  };
  const all = () => {
    rows ??= filled().map(read);
    return rows;
  };
  return {
    get all() {
      return all();
    },
    get first() {
      return all()[0];
    },
    get one() {
      const [row] = all();
      if (row === undefined) throw new Error("A statement that always returns a row returned none");
      return row;
    },
    get count() {
      return filled().length;
    },
    fill(results) {
      raw = results;
    },
  };
}

function insertedEvents(added: Added<unknown>[], results: (RawRow[] | null)[]): InsertedEvent[] {
  return added.flatMap(({ statement: { announces } }, index) =>
    announces ? (results[index] ?? []).map(announces) : [],
  );
}

/** The maximum number of events in one message. A message with this many events has about a kilobyte. */
const eventsPerMessage = 50;

/** Returns the messages that start the dispatch of these events. */
export function announcements(events: { projectId: number; id: Id }[]): Queued[] {
  return [...Map.groupBy(events, ({ projectId }) => projectId)].flatMap(([projectId, together]) =>
    chunksOf(together, eventsPerMessage).map((chunk) => ({
      message: { type: "events.dispatch" as const, projectId, eventIds: chunk.map(({ id }) => id) },
    })),
  );
}
