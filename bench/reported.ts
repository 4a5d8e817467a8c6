import { asId, publicId } from "../src/core/ids";
import { projectDatabase, shardsOf } from "../src/db/client";
import worker from "../src/index";
import type { Env } from "../src/platform/env";

export * from "../src/index";

/** Rows written since the last question, in any database. */
let rowsWritten = 0;

/**
 * The product with a database that counts the rows that it writes. `GET /bench/campaign` makes one campaign of all sent
 * mail, `GET /bench/ids` names its emails, and `GET /bench/counters` returns its counters, the number of marked pages,
 * and the rows written since.
 */
export default {
  ...worker,
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/campaign") return makeCampaign(env);
    if (pathname === "/bench/ids") return Response.json(await idsOf(env));
    if (pathname === "/bench/counters") return Response.json(await countersOf(env));
    return worker.fetch(request, counting(env), execution);
  },
  queue: (batch, env, execution) => worker.queue(batch, counting(env), execution),
  scheduled: (controller, env, execution) => worker.scheduled(controller, counting(env), execution),
} satisfies ExportedHandler<Env>;

const known = new WeakMap<Env, Env>();

/** One for each environment, because the product caches what it made of one. */
function counting(env: Env): Env {
  const before = known.get(env);
  if (before) return before;
  const counted = { ...env, DB: countingDatabase(env.DB) };
  known.set(env, counted);
  return counted;
}

function countingDatabase(real: D1Database): D1Database {
  const batch = async <T>(statements: D1PreparedStatement[]) => {
    const results = await real.batch<T>(statements);
    for (const { meta } of results) rowsWritten += meta.rows_written;
    return results;
  };
  return new Proxy(real, {
    get(target, name) {
      if (name === "batch") return batch;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function databaseOf(env: Env): D1Database {
  const [shard = "DB"] = shardsOf(env);
  return projectDatabase(env, shard).$client;
}

const pageSize = 500;

async function makeCampaign(env: Env): Promise<Response> {
  const db = databaseOf(env);
  await db.batch([
    db
      .prepare(
        `UPDATE emails SET campaign_id = 'bench', source = 'CAMPAIGN', provider = 'postmark', status = 'SENT', sent_at = ?,
          next_attempt_at = NULL, due_at = NULL`,
      )
      .bind(Date.now()),
    db
      .prepare(
        `INSERT INTO campaign_pages (project_id, campaign_id, first_id, last_id, part, content_ids, open, recount_at)
          SELECT project_id, 'bench', min(id), max(id), 'REST', '[]', 0, 0
          FROM (SELECT project_id, id, (row_number() OVER (ORDER BY id) - 1) / CAST(?1 AS INTEGER) AS page FROM emails) GROUP BY project_id, page`,
      )
      .bind(pageSize),
  ]);
  return Response.json({});
}

async function idsOf(env: Env): Promise<string[]> {
  const { results } = await databaseOf(env).prepare("SELECT id FROM emails ORDER BY id").all<{ id: string }>();
  return results.map(({ id }) => publicId(asId(id)));
}

async function countersOf(env: Env) {
  const db = databaseOf(env);
  const counts = "SELECT sum(sent) AS sent, sum(delivered) AS delivered, sum(bounced) AS bounced FROM campaign_counts";
  const marked = "SELECT count(*) AS marked FROM campaign_pages WHERE recount_at IS NOT NULL";
  const rows = { rowsWritten };
  rowsWritten = 0;
  return { ...(await db.prepare(counts).first()), ...(await db.prepare(marked).first()), ...rows };
}
