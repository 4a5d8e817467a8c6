import { type SQL, sql } from "drizzle-orm";
import { inProject, type Owner } from "./scope";

/** Selects the first of `vip`, `vip-2`, `vip-3` … that no row of the project uses in the table when the insert runs. */
export function freeSlug(ctx: Owner, table: "segments" | "topics", slug: string): SQL {
  return sql`(WITH RECURSIVE tried (n, slug) AS (
      SELECT 1, ${slug}
      UNION ALL SELECT n + 1, ${slug} || '-' || (n + 1) FROM tried
        WHERE EXISTS (SELECT 1 FROM ${sql.identifier(table)} s
          WHERE ${inProject(ctx, "s")} AND s.slug = tried.slug))
    SELECT slug FROM tried ORDER BY n DESC LIMIT 1)`;
}
