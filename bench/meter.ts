import { projectDatabase, shardsOf } from "../src/db/client";
import worker from "../src/index";
import type { Env } from "../src/platform/env";
import { watchedDatabase } from "./watched";

const nothing = {
  rowsRead: 0,
  rowsWritten: 0,
  databaseMs: 0,
  longestBatchMs: 0,
  messages: 0,
  invocations: 0,
  objectCalls: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  objectMs: 0,
  longestObjectMs: 0,
};
/**
 * The amounts that Cloudflare would charge for since the last question, and for how long the database served nobody
 * else.
 */
export const spent = { ...nothing };

/** Rows written since then, by what their statements do to which table. */
let written: Record<string, number> = {};

const queues = ["MAIL_QUEUE", "CAMPAIGN_MAIL_QUEUE", "EVENTS_QUEUE", "OUTBOUND_QUEUE", "JOBS_QUEUE"] as const;
type Objects = DurableObjectNamespace<Rpc.DurableObjectBranded | undefined>;
const objects = ["PACE", "GATE", "WORKFLOWS"] as const;

function readSpent() {
  const seen = { ...spent, written };
  Object.assign(spent, nothing);
  written = {};
  return seen;
}

/** Records rows that a statement has written. `where` is set when that was not in a database. */
export function noteWritten(sql: string, rows: number, where = ""): void {
  if (rows === 0) return;
  const [, verb, table] = /\b(INSERT|UPDATE|DELETE)\b(?: OR \w+)?(?: INTO| FROM)?\s+"?(\w+)/.exec(sql) ?? [];
  const name = `${where}${table ?? "other"}: ${verb?.toLowerCase() ?? sql.slice(0, 40)}`;
  written[name] = (written[name] ?? 0) + rows;
}

/** Answers `GET /bench/…`, named by its path. */
export type Answers = Record<string, (env: Env, params: URLSearchParams) => unknown>;

/**
 * The product, with a meter around its bindings. `GET /bench/spent` reads and resets it. This route and the other
 * `answers` are not metered themselves.
 */
export function meteredProduct(answers: Answers): ExportedHandler<Env> {
  const all: Answers = { ...answers, spent: readSpent };
  return {
    ...worker,
    async fetch(request, env, execution) {
      const { pathname, searchParams } = new URL(request.url);
      const [, what] = /^\/bench\/(\w+)$/.exec(pathname) ?? [];
      if (what !== undefined) return Response.json(await all[what]?.(env, searchParams));
      spent.invocations += 1;
      return worker.fetch(request, metered(env), execution);
    },
    queue(batch, env, execution) {
      spent.invocations += 1;
      return worker.queue(batch, metered(env), execution);
    },
    scheduled(controller, env, execution) {
      spent.invocations += 1;
      return worker.scheduled(controller, metered(env), execution);
    },
  };
}

const known = new WeakMap<Env, Env>();

/** One for each environment, because the product caches what it made of one. */
export function metered(env: Env): Env {
  const before = known.get(env);
  if (before) return before;
  const all = {
    ...env,
    ...Object.fromEntries([
      ...shardsOf(env).map((shard) => [shard, watchedDatabase(projectDatabase(env, shard).$client, note)]),
      ...queues.map((name) => [name, meteredQueue(env[name])]),
      ...objects.map((name) => [name, meteredObjects(env[name] as unknown as Objects)]),
    ]),
  };
  known.set(env, all);
  return all;
}

function note(results: D1Result[], queries: string[]): void {
  let ms = 0;
  for (const [index, { meta }] of results.entries()) {
    noteWritten(queries[index] ?? "", meta.rows_written);
    spent.rowsRead += meta.rows_read;
    spent.rowsWritten += meta.rows_written;
    ms += meta.duration;
  }
  spent.databaseMs += ms;
  spent.longestBatchMs = Math.max(spent.longestBatchMs, ms);
}

function meteredQueue(queue: Queue): Queue {
  const sendBatch: Queue["sendBatch"] = (messages, options) => {
    const sent = [...messages];
    spent.messages += sent.length;
    return queue.sendBatch(sent, options);
  };
  // The product only sends in batches.
  return { sendBatch } as Queue;
}

/** Counts each call of an object's method as a request. */
function meteredObjects(objects: Objects): Objects {
  return new Proxy(objects, {
    get(_, name) {
      if (name !== "get") return Reflect.get(objects, name).bind(objects);
      return (id: DurableObjectId) => {
        // The product only calls methods.
        const stub = objects.get(id) as unknown as Record<string | symbol, (...given: unknown[]) => unknown>;
        return new Proxy(stub, {
          get(_, method) {
            return (...given: unknown[]) => {
              spent.objectCalls += 1;
              return stub[method]?.(...given);
            };
          },
        });
      };
    },
  });
}
