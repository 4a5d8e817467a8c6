import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { openParts } from "../../platform/sweep";
import { databaseSize } from "./database-size";

/** Records the size of each database, so that the health report can predict when it will be full. */
export async function noteSizes(platform: Platform): Promise<void> {
  const now = platform.now.getTime();
  const parts = openParts();
  for (const shard of platform.shards) {
    await parts.run(async () => {
      const bytes = await databaseSize(platform.databaseOf(shard));
      const batch = openBatch(platform, platform.control);
      batch.mayRepeat();
      batch.add(
        statement(
          sql`INSERT INTO database_sizes (shard, noted_at, bytes) VALUES (${shard}, ${now}, ${bytes})
            ON CONFLICT (shard, noted_at) DO NOTHING`,
        ),
      );
      await batch.commit();
    });
  }
  parts.end();
}
