import { sql } from "drizzle-orm";
import { query } from "../../db/commit";
import { blobKey } from "../../platform/blobs";
import type { Platform } from "../../platform/context";

const rowsPerStep = 500;

/** Forgets every kept mail. The rows first: a file without a row is only garbage, a row without a file is an error. */
export async function emptyOutbox(platform: Platform): Promise<void> {
  for (;;) {
    const removed = await query(
      platform.control,
      sql`DELETE FROM outbox_messages WHERE id IN (SELECT id FROM outbox_messages LIMIT ${rowsPerStep})
        RETURNING id, project_id`,
    );
    if (removed.length === 0) return;
    await platform.blobs.delete(removed.map((row) => blobKey("outbox", String(row.project_id), String(row.id))));
  }
}
