import { readId } from "../src/core/ids";
import { shardCount } from "../src/core/workflows/shard-of";
import { controlDatabase, projectDatabase, shardsOf } from "../src/db/client";
import type { Env } from "../src/platform/env";
import { nameOf, openWorkflowShards } from "../src/platform/workflow-shards";
import { type Answers, meteredProduct } from "./meter";
import { delivered, time, type WorkflowShardObject } from "./shard";

export * from "../src/index";
export { WorkflowShardObject } from "./shard";

/**
 * The product with a meter (see meter.ts), also around its shards.
 *
 * - `GET /bench/tick?workflow=` makes a scheduled workflow due.
 * - `GET /bench/ahead?ms=` puts the clock of all shards forward, and `&project=` wakes those of a project.
 * - `GET /bench/statuses?workflow=` counts executions by status, as the mirror shows them.
 * - `GET /bench/size?project=` returns the bytes of the project's shards and of all databases.
 * - `GET /bench/delivered` tells the milliseconds of each delivery since it was last asked.
 */
export const answers: Answers = {
  delivered: () => delivered.splice(0),
  tick: (env, params) =>
    onEach(env, (db) =>
      db
        .prepare("UPDATE workflows SET next_tick_at = ? WHERE id = ?")
        .bind(Date.now(), readId(params.get("workflow") ?? ""))
        .run(),
    ),
  async ahead(env, params) {
    time.aheadMs = Number(params.get("ms"));
    const project = params.get("project");
    if (project === null) return {};
    const address = { project: await numberOf(env, project) };
    const shards = openWorkflowShards(env.WORKFLOWS);
    for (let shard = 0; shard < shardCount; shard++) await shards.of({ ...address, shard }).poke({ ...address, shard });
    return {};
  },
  async statuses(env, params) {
    const counts: Record<string, number> = {};
    // Uses the index of statuses: the bench polls ten times a second, and must not measure itself.
    const query = `SELECT e.status, count(*) AS n FROM workflows w
       CROSS JOIN workflow_executions e ON e.project_id = w.project_id AND e.workflow_id = w.id
       WHERE w.id = ? GROUP BY 1`;
    const found = await onEach(env, (db) =>
      db
        .prepare(query)
        .bind(readId(params.get("workflow") ?? ""))
        .all<{ status: string; n: number }>(),
    );
    for (const { status, n } of found.flatMap(({ results }) => results)) counts[status] = (counts[status] ?? 0) + n;
    return counts;
  },
  async size(env, params) {
    const project = await numberOf(env, params.get("project") ?? "");
    const objects = env.WORKFLOWS as unknown as DurableObjectNamespace<WorkflowShardObject>;
    const sizes = Array.from({ length: shardCount }, (_, shard) =>
      objects.get(objects.idFromName(nameOf({ project, shard }))).size(),
    );
    const databases = await onEach(env, (db) => db.prepare("SELECT 1").all());
    return {
      objects: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
      databases: databases.reduce((sum, { meta }) => sum + meta.size_after, 0),
    };
  },
};

export default meteredProduct(answers);

function onEach<T>(env: Env, ask: (db: D1Database) => Promise<T>): Promise<T[]> {
  return Promise.all(shardsOf(env).map((shard) => ask(projectDatabase(env, shard).$client)));
}

async function numberOf(env: Env, project: string): Promise<number> {
  const found = controlDatabase(env).$client.prepare("SELECT number FROM projects WHERE id = ?").bind(project);
  return (await found.first<number>("number")) ?? 0;
}
