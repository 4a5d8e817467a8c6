/** What the world does from the moment its process is gone: nothing. */
export class Killed extends Error {}

/** Drizzle wraps what the database threw. */
export function wasKilled(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && wasKilled(error.cause));
}

/** When to die: at the n-th step (from 1), just before it takes effect or just after. */
export interface Death {
  atStep: number;
  when: "before" | "after";
}

/**
 * Counts every step a process takes towards the outside, and dies at the chosen one. A dead process takes no further
 * step, so that no `catch` of the code under test can still clean up.
 */
export class Process {
  steps: string[] = [];
  /** Every statement it prepared, with its values: to ask for their plans. */
  statements: { sql: string; values: unknown[] }[] = [];
  /** The texts of each batch it made. */
  batches: string[][] = [];
  /** What D1 says of what it wrote: rows of tables and of their indexes. */
  rowsWritten = 0;
  /** What D1 says of the statement that read most. */
  mostRowsRead = 0;
  private isDead = false;
  /** The statements that it made. */
  spent = 0;
  /** An invocation has 1,000 statements of D1. A test fails before one of ours comes near; one that counts has a number of its own. */
  maxStatements = 800;

  constructor(private readonly death?: Death) {}

  spend(statements: number): void {
    this.spent += statements;
    if (this.spent > this.maxStatements) throw new Error(`An invocation made ${this.spent} statements`);
  }

  /** Dies here, of what it does between two steps. */
  die(): never {
    this.isDead = true;
    throw new Killed("Killed between two steps");
  }

  async step<T>(name: string, effect: () => Promise<T>): Promise<T> {
    if (this.isDead) throw new Killed("This process is dead");
    this.steps.push(name);
    const isLast = this.steps.length === this.death?.atStep;
    if (isLast) this.isDead = true;
    if (isLast && this.death?.when === "before") throw new Killed(`Killed before step ${this.steps.length}: ${name}`);
    const result = await effect();
    if (this.isDead) throw new Killed(`Killed after step ${this.steps.length}: ${name}`);
    return result;
  }
}

interface Wrapped {
  sql: string;
  real(): D1PreparedStatement;
}

/** A value of a statement that is known when the statement runs, such as the database's clock. */
export class AtRun {
  constructor(readonly value: () => unknown) {}
}

function known(value: unknown): unknown {
  return value instanceof AtRun ? value.value() : value;
}

/** A round trip to a database. */
export interface Trip {
  sql: string[];
  /** It may change something. */
  writes: boolean;
}

/** What lies between the Worker and its database: it makes the trip, or fails, or both. */
export type Way = <T>(trip: Trip, make: () => Promise<T>) => Promise<T>;

const writing = /^\s*(INSERT|UPDATE|DELETE|REPLACE)\b|\b(INSERT INTO|UPDATE|DELETE FROM)\b/i;

/**
 * A D1 database of which each round trip is a step of a process, and goes a way of its own. It has just what drizzle,
 * `db/batch.ts` and `db/statement.ts` use.
 */
export function killableDatabase(real: D1Database, process: Process, way: Way = (_trip, make) => make()): D1Database {
  const step = async <T>(name: string, sql: string[], make: () => Promise<T>): Promise<T> => {
    process.spend(sql.length);
    return process.step(name, () => way({ sql, writes: sql.some((text) => writing.test(text)) }, make));
  };
  const counted = (results: D1Result[]) => {
    for (const { meta } of results) {
      process.rowsWritten += meta.rows_written;
      process.mostRowsRead = Math.max(process.mostRowsRead, meta.rows_read);
    }
    return results;
  };
  const wrap = (sql: string, statement: () => D1PreparedStatement): D1PreparedStatement & Wrapped => {
    const wrapped = {
      sql,
      real: statement,
      bind: (...values: unknown[]) => {
        process.statements.push({ sql, values });
        return wrap(sql, () => statement().bind(...values.map(known)));
      },
      all: () => step("query", [sql], async () => counted([await statement().all()])[0]),
      run: () => step("query", [sql], async () => counted([await statement().run()])[0]),
      first: () => step("query", [sql], () => statement().first()),
      raw: () => step("query", [sql], () => statement().raw()),
    };
    // The methods that the code under test calls are all here.
    return wrapped as unknown as D1PreparedStatement & Wrapped;
  };
  const database = {
    prepare: (sql: string) => wrap(sql, () => real.prepare(sql)),
    batch: (statements: Wrapped[]) => {
      process.batches.push(statements.map(({ sql }) => sql));
      return step(
        "batch",
        statements.map(({ sql }) => sql),
        async () => counted(await real.batch(statements.map((statement) => statement.real()))),
      );
    },
  };
  return database as unknown as D1Database;
}
