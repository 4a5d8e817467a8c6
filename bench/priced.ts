import { projectDatabase, shardsOf } from "../src/db/client";
import type { Env } from "../src/platform/env";
import { answers } from "./executed";
import { meteredProduct } from "./meter";

export * from "../src/index";
export { WorkflowShardObject } from "./shard";

/**
 * The product with a meter and the answers of `executed.ts`.
 *
 * - `GET /bench/unfinished` counts unfinished mail and calls of webhooks.
 */
export default meteredProduct({
  ...answers,
  async unfinished(env) {
    const counts = shardsOf(env).map((shard) => countUnfinished(env, shard));
    return { unfinished: (await Promise.all(counts)).reduce((sum, count) => sum + count, 0) };
  },
});

async function countUnfinished(env: Env, shard: string): Promise<number> {
  const query = `SELECT (SELECT count(*) FROM emails WHERE status IN ('QUEUED', 'SENDING'))
    + (SELECT count(*) FROM webhook_deliveries WHERE status = 'PENDING') AS n`;
  return (await projectDatabase(env, shard).$client.prepare(query).first<number>("n")) ?? 0;
}
