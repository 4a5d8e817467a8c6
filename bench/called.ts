import { projectDatabase, shardsOf } from "../src/db/client";
import worker from "../src/index";
import type { Env } from "../src/platform/env";

export * from "../src/index";

/** While messages are held, no consumer learns that deliveries are due: their rows wait for the sweep. */
let areHeld = false;
const known = new WeakMap<Env, Env>();

/**
 * The product with webhooks that can be held: from `GET /bench/hold` until `GET /bench/release`, no endpoint is called.
 * `GET /bench/pending` counts the waiting deliveries.
 */
export default {
  ...worker,
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/pending") return Response.json({ pending: await countPending(env) });
    if (pathname !== "/bench/hold" && pathname !== "/bench/release") return worker.fetch(request, env, execution);
    areHeld = pathname === "/bench/hold";
    return Response.json({});
  },
  queue: (batch, env, execution) => worker.queue(batch, areHeld ? holding(env) : env, execution),
} satisfies ExportedHandler<Env>;

/** One for each environment, because the product caches what it made of one. */
function holding(env: Env): Env {
  const before = known.get(env);
  if (before) return before;
  const sendBatch = async () => {};
  // The product only sends in batches.
  const held = { ...env, OUTBOUND_QUEUE: { sendBatch } as unknown as Queue };
  known.set(env, held);
  return held;
}

async function countPending(env: Env): Promise<number> {
  const counts = shardsOf(env).map((shard) =>
    projectDatabase(env, shard)
      .$client.prepare("SELECT count(*) AS n FROM webhook_deliveries WHERE status = 'PENDING'")
      .first<number>("n"),
  );
  return (await Promise.all(counts)).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
