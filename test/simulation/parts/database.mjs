import { DatabaseSync } from "node:sqlite";
import { limitSqlite } from "./limits.mjs";
import { currentInvocation } from "./processes.mjs";
import { scansOf } from "./scans.mjs";

/**
 * A D1 database on SQLite. A batch is one transaction, and each trip takes some time, so that those of several callers come
 * between each other.
 */
export class Database {
  #known;
  #changes;
  trips = 0;
  statements = 0;

  constructor({ known }, { trip, faults, boundary, limits }) {
    this.#known = known;
    this.#changes = this.#prepare("SELECT total_changes() AS n");
    Object.assign(this, { trip, faults, boundary, limits });
  }

  #prepare(sql) {
    return this.#known(sql).prepared;
  }

  /** The names of all tables. */
  get tables() {
    return this.peek("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").map(
      ({ name }) => name,
    );
  }

  /** Reads rows from outside of the world, which takes no time. */
  peek(sql, ...parameters) {
    const prepared = this.#prepare(sql);
    prepared.setReturnArrays(false);
    return prepared.all(...parameters);
  }

  /** Keeps this moment, to which `restore` goes back. */
  bookmark() {
    this.#prepare("SAVEPOINT bookmark").run();
  }

  /** Undoes all that was written since the bookmark, as D1's Time Travel does. */
  restore() {
    this.#prepare("ROLLBACK TO bookmark").run();
    this.forget();
  }

  /** Keeps what was written since the bookmark. */
  forget() {
    this.#prepare("RELEASE bookmark").run();
  }

  prepare(sql) {
    return new Statement(this, sql, []);
  }

  async batch(statements) {
    return this.#travel(statements, () => {
      this.#prepare("SAVEPOINT batch").run();
      try {
        return statements.map((statement) => this.#run(statement));
      } catch (error) {
        this.#prepare("ROLLBACK TO batch").run();
        throw error;
      } finally {
        this.#prepare("RELEASE batch").run();
      }
    });
  }

  async one(statement, form = "objects") {
    return this.#travel([statement], () => this.#run(statement, form));
  }

  #travel(statements, work) {
    return this.boundary(() => this.#go(statements, work));
  }

  async #go(statements, work) {
    this.trips += 1;
    const invocation = currentInvocation();
    for (const statement of statements) this.limits.checkStatement(statement, invocation);
    const fault = statements.some(({ sql }) => this.#known(sql).isWriting) ? this.faults.ofWrite() : null;
    await this.trip();
    try {
      const result = fault === null || fault.commits ? run(work) : null;
      if (fault !== null) throw new Error(fault.message);
      return result;
    } finally {
      await this.trip();
    }
  }

  #run({ sql, parameters }, form = "objects") {
    this.statements += 1;
    const { prepared, isWriting, scans } = this.#known(sql);
    for (const scan of scans) this.limits.passed.add(scan);
    const before = isWriting ? this.#changes.get().n : 0;
    // Two columns of one name are two items of an array, and one of an object.
    prepared.setReturnArrays(form === "arrays");
    const rows = prepared.all(...parameters.map(bound));
    const results = form === "arrays" ? rows : rows.map((row) => ({ ...row }));
    const changes = isWriting ? this.#changes.get().n - before : 0;
    return {
      results,
      success: true,
      meta: { changed_db: changes > 0, changes, rows_read: 0, rows_written: changes, size_after: 4096 * changes },
    };
  }
}

class Statement {
  constructor(database, sql, parameters) {
    this.database = database;
    this.sql = sql;
    this.parameters = parameters;
  }

  bind(...parameters) {
    return new Statement(this.database, this.sql, parameters);
  }

  all() {
    return this.database.one(this);
  }

  run() {
    return this.database.one(this);
  }

  async first(column) {
    const [row] = (await this.all()).results;
    return row === undefined ? null : column === undefined ? row : row[column];
  }

  async raw() {
    return (await this.database.one(this, "arrays")).results;
  }
}

function run(work) {
  try {
    return work();
  } catch (error) {
    throw new Error(`D1_ERROR: ${error.message}`);
  }
}

const write = /^\s*(WITH\b[\s\S]*\b(INSERT INTO|UPDATE \w+|DELETE FROM)|INSERT|UPDATE|DELETE|REPLACE)\b/i;

function bound(value) {
  return typeof value === "boolean" ? Number(value) : value;
}

/**
 * Opens databases that begin with the same tables; they are made once. A database is the savepoint of a connection, and
 * the next one of its name goes back to it, so that what was prepared stays so.
 */
export function databaseMaker(migrations) {
  const first = new DatabaseSync(":memory:");
  for (const sql of migrations) first.exec(sql);
  const tables = first.serialize();
  const connections = new Map();
  return (name, surroundings) => {
    const connection = connections.get(name) ?? connect(tables);
    connections.set(name, connection);
    connection.time = surroundings.time;
    connection.known("ROLLBACK TO world").prepared.run();
    return new Database(connection, surroundings);
  };
}

/** What is the same each time that a statement is made. */
class KnownStatement {
  #scans = null;

  constructor(sqlite, sql) {
    Object.assign(this, { sqlite, sql, prepared: sqlite.prepare(sql), isWriting: write.test(sql) });
  }

  get scans() {
    this.#scans ??= scansOf(this.sqlite, this.sql);
    return this.#scans;
  }
}

function connect(tables) {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.deserialize(tables);
  limitSqlite(sqlite);
  const statements = new Map();
  const known = (sql) => {
    const statement = statements.get(sql) ?? new KnownStatement(sqlite, sql);
    statements.set(sql, statement);
    return statement;
  };
  const connection = { known, time: null };
  // The clock of the database is the world's.
  sqlite.function("unixepoch", { varargs: true }, () => connection.time.now / 1_000);
  sqlite.exec("SAVEPOINT world");
  return connection;
}
