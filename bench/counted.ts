import { asId, publicId, readId } from "../src/core/ids";
import { projectDatabase, shardsOf } from "../src/db/client";
import type { Env } from "../src/platform/env";
import { meteredProduct } from "./meter";

export * from "../src/index";

/**
 * The product with a meter (see meter.ts). `GET /bench/campaign?id=` returns the state of a campaign, and `GET
 * /bench/emails?campaign=` names some of its emails.
 */
export default meteredProduct({
  campaign: async (env, params) => (await whereItStands(env, params.get("id") ?? ""))[0],
  emails: async (env, params) =>
    (await someEmails(env, params.get("campaign") ?? "")).map((row) => publicId(asId(row.id))),
});

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
