import { sql } from "drizzle-orm";
import { dayMs } from "../../core/time";
import { wholeRow } from "../../db/rows";
import { select } from "../../db/statement";
import { databaseSizes } from "../../db/tables";
import type { Platform } from "../../platform/context";

const lookBackMs = 14 * dayMs;
const most = 2_000;

/** Returns the sizes of all databases recorded within the last two weeks. */
export function readNotedSizes({ control, realClock }: Platform): Promise<(typeof databaseSizes.$inferSelect)[]> {
  const since = realClock().getTime() - lookBackMs;
  return select(
    control,
    sql`SELECT * FROM database_sizes INDEXED BY ix_database_sizes_noted
      WHERE noted_at >= ${since} ORDER BY noted_at LIMIT ${most}`,
    wholeRow(databaseSizes),
  );
}
