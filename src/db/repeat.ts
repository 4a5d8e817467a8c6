import { type SQL, sql } from "drizzle-orm";
import { type Backoff, backoffMs } from "../core/backoff";
import { dialect } from "./client";
import type { RawRow } from "./rows";
import { guard, isGuard, noRows, type Statement, statement } from "./statement";
import { DatabaseAway, type Effect, troubleOf } from "./trouble";

/** The reasons why it is safe to repeat a batch: it recognises its own commit, or a second run changes nothing. */
export interface Repetition {
  hasCommitted: SQL[];
  mayRepeat: boolean;
}

interface RepeatContext {
  random(): number;
  sleep(ms: number): Promise<void>;
}

type RunBatch = (statements: readonly Statement[]) => Promise<RawRow[][]>;

/** The maximum number of attempts, including the first. D1 itself makes as many attempts for a read. */
const maxTries = 3;
/**
 * The waits between attempts. They are short, because the request waits too. Jitter separates calls that failed
 * together.
 */
const backoff: Backoff = { firstMs: 50, growth: 4, maxMs: 200 };

/** Thrown when a repeated batch finds that it had already committed. */
class CommittedBefore extends Error {}

/**
 * Runs a batch, and repeats it after errors for which D1 advises a repeat. D1 itself repeats only reads, because a
 * write may have been committed although its answer was lost. A batch that recognises its commit is therefore repeated
 * behind a guard, which stops the batch if it has already committed. Returns null in place of rows that cannot be found
 * again. Throws DatabaseAway, and any error of `run`.
 */
export async function runRepeatedly(
  ctx: RepeatContext,
  statements: readonly Statement[],
  { hasCommitted, mayRepeat }: Repetition,
  run: RunBatch,
): Promise<(RawRow[] | null)[]> {
  let effect: Effect = "none";
  for (let tries = 1; ; tries++) {
    try {
      if (tries === 1 || hasCommitted.length === 0) return await run(statements);
      return (await run([unlessCommitted(hasCommitted), ...statements])).slice(1);
    } catch (error) {
      if (error instanceof CommittedBefore) return findAgain(statements, run);
      const trouble = troubleOf(error);
      if (trouble === null) throw error;
      const isOnlyReading = statements.every(isRead);
      if (trouble !== "overloaded" && trouble !== "fenced" && !isOnlyReading) effect = "unknown";
      const isRepeatable = hasCommitted.length > 0 || mayRepeat || isOnlyReading;
      if (trouble !== "lost" || !isRepeatable || tries === maxTries) throw new DatabaseAway(effect, error);
    }
    await ctx.sleep((0.5 + ctx.random()) * backoffMs(backoff, tries - 1));
  }
}

function unlessCommitted(hasCommitted: SQL[]): Statement {
  return guard(sql`NOT (${sql.join(hasCommitted, sql` OR `)})`, () => new CommittedBefore());
}

/** Reads the rows of a batch that has already committed. */
async function findAgain(statements: readonly Statement[], run: RunBatch): Promise<(RawRow[] | null)[]> {
  const selects = statements.map((one) => (isRead(one) && !isGuard(one) ? one.sql : (one.again ?? null)));
  const asked = selects.filter((select) => select !== null);
  try {
    const found = asked.length === 0 ? [] : await run(asked.map((select) => statement(select, noRows)));
    return selects.map((select) => (select === null ? null : (found[asked.indexOf(select)] ?? null)));
  } catch (error) {
    throw troubleOf(error) === null ? error : new DatabaseAway("done", error);
  }
}

/**
 * Reports whether a statement only reads, judging by its text. The text is built a second time for this check, but only
 * after a failure.
 */
function isRead(one: Statement): boolean {
  if (isGuard(one)) return true;
  const { sql: text } = dialect.sqlToQuery(one.sql);
  return /^\s*(SELECT|WITH)\b/i.test(text) && !/\b(INSERT|UPDATE|DELETE)\b/i.test(text);
}
