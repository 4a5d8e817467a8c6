import { env } from "cloudflare:workers";

/** The steps of a statement's query plan, as SQLite words them. */
export async function planOf({ sql, values }: { sql: string; values: unknown[] }): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}
