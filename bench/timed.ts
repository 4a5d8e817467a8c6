import worker from "../src/index";
import type { Env } from "../src/platform/env";

export * from "../src/index";

/** What kept the database busy since it was last asked: nobody else had a turn for so long. */
const longest = { statementMs: 0, statement: "", batchMs: 0 };

/** The product, with a watch beside its database. `GET /bench/longest` tells, and begins again. */
export default {
  ...worker,
  fetch(request, env, execution) {
    if (new URL(request.url).pathname !== "/bench/longest") return worker.fetch(request, watched(env), execution);
    const seen = { ...longest };
    Object.assign(longest, { statementMs: 0, statement: "", batchMs: 0 });
    return Response.json(seen);
  },
  queue: (batch, env, execution) => worker.queue(batch, watched(env), execution),
  scheduled: (controller, env, execution) => worker.scheduled(controller, watched(env), execution),
} satisfies ExportedHandler<Env>;

function watched(env: Env): Env {
  return { ...env, DB: watchedDatabase(env.DB) };
}

/** The prepared statements behind those that were handed out. */
const behind = new WeakMap<D1PreparedStatement, { statement: D1PreparedStatement; sql: string }>();

function watchedDatabase(db: D1Database): D1Database {
  return new Proxy(db, {
    get(_, name) {
      if (name === "prepare") return (sql: string) => watchedStatement(db.prepare(sql), sql);
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const known = statements.map((one) => behind.get(one) ?? { statement: one, sql: "" });
          const results = await db.batch(known.map(({ statement }) => statement));
          note(results.map(({ meta }, index) => ({ ms: meta.duration, sql: known[index]?.sql ?? "" })));
          return results;
        };
      }
      return Reflect.get(db, name).bind(db);
    },
  });
}

function watchedStatement(statement: D1PreparedStatement, sql: string): D1PreparedStatement {
  const watch = new Proxy(statement, {
    get(_, name) {
      if (name === "bind") return (...values: unknown[]) => watchedStatement(statement.bind(...values), sql);
      if (name === "all" || name === "run") {
        return async () => {
          const result = await statement[name]();
          note([{ ms: result.meta.duration, sql }]);
          return result;
        };
      }
      return Reflect.get(statement, name).bind(statement);
    },
  });
  behind.set(watch, { statement, sql });
  return watch;
}

function note(statements: { ms: number; sql: string }[]): void {
  longest.batchMs = Math.max(
    longest.batchMs,
    statements.reduce((sum, { ms }) => sum + ms, 0),
  );
  for (const { ms, sql } of statements) {
    if (ms > longest.statementMs) Object.assign(longest, { statementMs: ms, statement: sql });
  }
}
