/** Called with the results of statements that were sent to the database together, and with their SQL. */
type Note = (results: D1Result[], queries: string[]) => void;

/** The prepared statements behind the returned ones, with their SQL. */
const behind = new WeakMap<D1PreparedStatement, { statement: D1PreparedStatement; sql: string }>();

/** Returns a database that reports the results of its statements. */
export function watchedDatabase(db: D1Database, note: Note): D1Database {
  return new Proxy(db, {
    get(_, name) {
      if (name === "prepare") return (sql: string) => watchedStatement(db.prepare(sql), sql, note);
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const results = await db.batch(statements.map((one) => behind.get(one)?.statement ?? one));
          note(
            results,
            statements.map((one) => behind.get(one)?.sql ?? ""),
          );
          return results;
        };
      }
      return Reflect.get(db, name).bind(db);
    },
  });
}

function watchedStatement(statement: D1PreparedStatement, sql: string, note: Note): D1PreparedStatement {
  const watch = new Proxy(statement, {
    get(_, name) {
      if (name === "bind") return (...values: unknown[]) => watchedStatement(statement.bind(...values), sql, note);
      if (name === "all" || name === "run") {
        return async () => {
          const result = await statement[name]();
          note([result], [sql]);
          return result;
        };
      }
      return Reflect.get(statement, name).bind(statement);
    },
  });
  behind.set(watch, { statement, sql });
  return watch;
}
