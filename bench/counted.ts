import { asId, publicId, readId } from "../src/core/ids";
import { projectDatabase, shardsOf } from "../src/db/client";
import worker from "../src/index";
import type { Env } from "../src/platform/env";
import { metered, readSpent, spent } from "./meter";

export * from "../src/index";

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
    if (pathname === "/bench/spent") return Response.json(readSpent());
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
