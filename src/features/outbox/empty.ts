import { sql } from "drizzle-orm";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import { blobKey } from "../../platform/blobs";
import type { Platform } from "../../platform/context";

const rowsPerStep = 500;

/** Forgets every kept mail. The rows first: a file without a row is only garbage, a row without a file is an error. */
export async function emptyOutbox(platform: Platform): Promise<void> {
  for (;;) {
    const batch = openBatch({ ...platform, db: platform.control });
    const removed = batch.add(
      statement(
        sql`DELETE FROM outbox_messages WHERE id IN (SELECT id FROM outbox_messages LIMIT ${rowsPerStep})
          RETURNING id, project_id`,
        columns({ id: asText, projectId: asText }),
      ),
    );
    await batch.commit();
    if (removed.count === 0) return;
    await platform.blobs.delete(removed.all.map(({ id, projectId }) => blobKey("outbox", projectId, id)));
  }
}
