import { asId, publicId, readId } from "../src/core/ids";
import { projectDatabase, shardsOf } from "../src/db/client";
import worker from "../src/index";
import type { Env } from "../src/platform/env";
import { watchedDatabase } from "./watched";

export * from "../src/index";

const nothing = {
  rowsRead: 0,
  rowsWritten: 0,
  databaseMs: 0,
  longestBatchMs: 0,
  messages: 0,
  invocations: 0,
  objectCalls: 0,
};
/** What Cloudflare would charge for since it was last asked, and how long nobody else had a turn at the database. */
const spent = { ...nothing };

const queues = ["MAIL_QUEUE", "CAMPAIGN_MAIL_QUEUE", "EVENTS_QUEUE", "OUTBOUND_QUEUE", "JOBS_QUEUE"] as const;
type Objects = DurableObjectNamespace<Rpc.DurableObjectBranded | undefined>;
const objects = ["PACE", "GATE"] as const;

/**
 * The product, with a meter beside its bindings. `GET /bench/spent` reads it, and begins again. `GET /bench/campaigns/{id}` says
 * where a campaign stands, and `GET /bench/emails/{id}` names some of its emails. These are not metered themselves.
 */
export default {
  ...worker,
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    const [, what, id] = /^\/bench\/(campaigns|emails)\/(.+)$/.exec(pathname) ?? [];
    if (what === "campaigns" && id) return Response.json((await whereItStands(env, id))[0]);
    if (what === "emails" && id) return Response.json((await someEmails(env, id)).map((row) => publicId(asId(row.id))));
    if (pathname === "/bench/spent") return read();
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
} satisfies ExportedHandler<Env>;

function read(): Response {
  const seen = { ...spent };
  Object.assign(spent, nothing);
  return Response.json(seen);
}

function whereItStands(env: Env, id: string) {
  return ask<{ status: string; phase: string }>(
    env,
    `SELECT c.status, r.progress->>'phase' AS phase,
        (SELECT count(*) FROM campaign_pages p WHERE p.project_id = c.project_id AND p.campaign_id = c.id
          AND p.recount_at IS NOT NULL) AS marked
      FROM campaigns c LEFT JOIN campaign_runs r ON r.project_id = c.project_id AND r.id = c.id WHERE c.id = ?`,
    id,
  );
}

function someEmails(env: Env, id: string) {
  return ask<{ id: string }>(env, "SELECT id FROM emails WHERE campaign_id = ? AND status = 'SENT' LIMIT 1000", id);
}

async function ask<Row>(env: Env, sql: string, id: string): Promise<Row[]> {
  const found = shardsOf(env).map((shard) =>
    projectDatabase(env, shard).$client.prepare(sql).bind(readId(id)).all<Row>(),
  );
  return (await Promise.all(found)).flatMap(({ results }) => results);
}

const known = new WeakMap<Env, Env>();

/** One for each environment: the product keeps what it made of one. */
function metered(env: Env): Env {
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

function note(results: D1Result[]): void {
  let ms = 0;
  for (const { meta } of results) {
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
  // The product sends in batches only.
  return { sendBatch } as Queue;
}

/** Each call of an object's method is a request. */
function meteredObjects(objects: Objects): Objects {
  return new Proxy(objects, {
    get(_, name) {
      if (name !== "get") return Reflect.get(objects, name).bind(objects);
      return (id: DurableObjectId) => {
        // The product calls methods and reads nothing else.
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
