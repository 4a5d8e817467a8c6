import { projectDatabase, shardsOf } from "../src/db/client";
import worker from "../src/index";
import type { Env } from "../src/platform/env";
import { watchedDatabase } from "./watched";

export * from "../src/index";

/** The work that kept the database busy since the last question, during which nobody else had a turn. */
const longest = { statementMs: 0, batchMs: 0, rowsRead: 0 };

/** The product, with a watch on its databases. `GET /bench/longest` reads and resets it. */
export default {
  ...worker,
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/due") return makeDue(env);
    if (pathname !== "/bench/longest") return worker.fetch(request, watched(env), execution);
    const seen = { ...longest };
    Object.assign(longest, { statementMs: 0, batchMs: 0, rowsRead: 0 });
    return Response.json(seen);
  },
  queue: (batch, env, execution) => worker.queue(batch, watched(env), execution),
  scheduled: (controller, env, execution) => worker.scheduled(controller, watched(env), execution),
} satisfies ExportedHandler<Env>;

/** `GET /bench/due`: makes tracked segments due, as they are every five minutes. Returns how many were not. */
async function makeDue(env: Env): Promise<Response> {
  let made = 0;
  for (const shard of shardsOf(env)) {
    const due = projectDatabase(env, shard).$client.prepare(
      "UPDATE segments SET next_compute_at = 1 WHERE next_compute_at > 1",
    );
    made += (await due.run()).meta.changes;
  }
  return Response.json({ made });
}

function watched(env: Env): Env {
  const databases = shardsOf(env).map((shard) => [shard, watchedDatabase(projectDatabase(env, shard).$client, note)]);
  return { ...env, ...Object.fromEntries(databases) };
}

function note(batch: D1Result[]): void {
  const times = batch.map(({ meta }) => meta.duration);
  longest.statementMs = Math.max(longest.statementMs, ...times);
  longest.rowsRead = Math.max(longest.rowsRead, ...batch.map(({ meta }) => meta.rows_read));
  longest.batchMs = Math.max(
    longest.batchMs,
    times.reduce((sum, ms) => sum + ms, 0),
  );
}
