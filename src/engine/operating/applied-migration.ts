import { sql } from "drizzle-orm";
import type { Db } from "../../db/client";
import { asText, columns } from "../../db/rows";
import { selectFirst } from "../../db/statement";

/** Returns the name of the newest migration applied to a database; null when none has been. */
export async function appliedMigration(db: Db): Promise<string | null> {
  const newest = sql`SELECT name FROM d1_migrations ORDER BY name DESC LIMIT 1`;
  const found = await selectFirst(db, newest, columns({ name: asText }));
  return found?.name ?? null;
}
