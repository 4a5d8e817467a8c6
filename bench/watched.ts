/** What statements that went to the database together came to: one result for each. */
type Note = (results: D1Result[]) => void;

/** The prepared statements behind those that were handed out. */
const behind = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

/** A database that tells what became of its statements. */
export function watchedDatabase(db: D1Database, note: Note): D1Database {
  return new Proxy(db, {
    get(_, name) {
      if (name === "prepare") return (sql: string) => watchedStatement(db.prepare(sql), note);
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const results = await db.batch(statements.map((one) => behind.get(one) ?? one));
          note(results);
          return results;
        };
      }
      return Reflect.get(db, name).bind(db);
    },
  });
}

function watchedStatement(statement: D1PreparedStatement, note: Note): D1PreparedStatement {
  const watch = new Proxy(statement, {
    get(_, name) {
      if (name === "bind") return (...values: unknown[]) => watchedStatement(statement.bind(...values), note);
      if (name === "all" || name === "run") {
        return async () => {
          const result = await statement[name]();
          note([result]);
          return result;
        };
      }
      return Reflect.get(statement, name).bind(statement);
    },
  });
  behind.set(watch, statement);
  return watch;
}
