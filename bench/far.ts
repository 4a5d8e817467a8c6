import { shardsOf } from "../src/db/client";
import { WorkflowShardObject as NearShard } from "../src/engine/workflows/shard/shard-object";
import worker from "../src/index";
import type { Env } from "../src/platform/env";
import { SweepObject as NearSweeps } from "../src/sweep-object";

export * from "../src/index";

/** The delay before a round trip begins, in milliseconds. Waiting costs no CPU, as in production. */
const distance = { d1Ms: 0, queueMs: 0 };

/** The product, far from its databases and queues. `GET /bench/far?d1=80&queue=300` sets the distances from then on. */
export default {
  ...worker,
  async fetch(request, env, execution) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/bench/far") return worker.fetch(request, farFrom(env), execution);
    distance.d1Ms = Number(searchParams.get("d1"));
    distance.queueMs = Number(searchParams.get("queue"));
    return Response.json(distance);
  },
  queue: (batch, env, execution) => worker.queue(batch, farFrom(env), execution),
  scheduled: (controller, env, execution) => worker.scheduled(controller, farFrom(env), execution),
} satisfies ExportedHandler<Env>;

/** A shard is as far from the database as the Worker. */
export class WorkflowShardObject extends NearShard {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, farFrom(env) as Cloudflare.Env);
  }
}

/** The same holds for the sweeps between two ticks. */
export class SweepObject extends NearSweeps {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, farFrom(env));
  }
}

const environments = new WeakMap<Env, Env>();

function farFrom(env: Env): Env {
  const known = environments.get(env);
  if (known) return known;
  const databases = shardsOf(env).map((shard) => [shard, farDatabase(env[shard as "DB"])]);
  const queues = Object.entries(env).filter(([name]) => name.endsWith("_QUEUE"));
  const far = {
    ...env,
    ...Object.fromEntries(databases),
    ...Object.fromEntries(queues.map(([name, queue]) => [name, farQueue(queue as Queue)])),
  };
  environments.set(env, far);
  return far;
}

/** The prepared statements behind the returned ones. */
const behind = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

function farDatabase(db: D1Database): D1Database {
  return new Proxy(db, {
    get(_, name) {
      if (name === "prepare") return (sql: string) => farStatement(db.prepare(sql));
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          await travel(distance.d1Ms);
          return db.batch(statements.map((one) => behind.get(one) ?? one));
        };
      }
      return Reflect.get(db, name).bind(db);
    },
  });
}

function farStatement(statement: D1PreparedStatement): D1PreparedStatement {
  const far = new Proxy(statement, {
    get(_, name) {
      if (name === "bind") return (...values: unknown[]) => farStatement(statement.bind(...values));
      return async (...given: unknown[]) => {
        await travel(distance.d1Ms);
        return Reflect.get(statement, name).apply(statement, given);
      };
    },
  });
  behind.set(far, statement);
  return far;
}

function farQueue(queue: Queue): Pick<Queue, "sendBatch"> {
  return {
    async sendBatch(messages) {
      await travel(distance.queueMs);
      return queue.sendBatch(messages);
    },
  };
}

async function travel(ms: number): Promise<void> {
  if (ms > 0) await scheduler.wait(ms);
}
