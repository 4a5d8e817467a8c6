import { type SQL, sql } from "drizzle-orm";
import { textOf } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, asText, columns, orNull } from "../../db/rows";
import { statement } from "../../db/statement";
import { blobKey } from "../../platform/blobs";
import type { Platform } from "../../platform/context";
import { maxSweptRows } from "../../platform/sweep";

/**
 * Deletes up to `maxSweptRows` stored emails, oldest first, and returns how many. Rows are deleted first: a file
 * without a row only wastes space, but a row without a file is an error.
 */
export async function deleteMessages(platform: Platform, where: SQL): Promise<number> {
  const batch = openBatch(platform, platform.control);
  const removed = batch.add(
    statement(
      // Keys of files contain the project's UUID. The files of a deleted project are already gone.
      sql`DELETE FROM outbox_messages
        WHERE (project_id, id) IN (SELECT project_id, id FROM outbox_messages WHERE ${where}
          ORDER BY id LIMIT ${maxSweptRows})
        RETURNING id, (SELECT p.id FROM projects p WHERE p.number = outbox_messages.project_id) AS project_id`,
      columns({ id: asId, projectId: orNull(asText) }),
    ),
  );
  await batch.commit();
  const files = removed.all.flatMap(({ id, projectId }) =>
    projectId === null ? [] : [blobKey("outbox", projectId, textOf(id))],
  );
  if (files.length > 0) await platform.blobs.delete(files);
  return removed.count;
}
