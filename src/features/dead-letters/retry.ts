import { sql } from "drizzle-orm";
import { installation } from "../../core/audit/call";
import { Conflict, NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { QueueMessage, redelivered } from "../../core/messages";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import { deadLetters } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import type { Target } from "../../engine/audit/target";
import type { Platform } from "../../platform/context";

/**
 * Sends a dead letter to its queue again, then deletes its row. Throws NotFound, or Conflict for a message that this
 * version does not know. After a crash between the two steps, or with a second call, the message is sent twice. That is
 * harmless: queues deliver at least once, so every handler expects duplicates.
 */
export async function retryDeadLetter(platform: Platform, id: Id) {
  const row = sql`SELECT * FROM dead_letters WHERE id = ${id}`;
  const found = await selectFirst(platform.control, row, wholeRow(deadLetters));
  if (found === null) throw new NotFound("dead letter", id);
  const { success, data } = QueueMessage.safeParse(JSON.parse(found.body));
  if (!success) throw unknownMessage();
  await platform.enqueue([{ message: redelivered(data) }]);
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  recordChange(batch, platform, auditedDeadLetter(id));
  batch.add(statement(sql`DELETE FROM dead_letters WHERE id = ${id}`));
  await batch.commit();
  return { id: publicId(id), type: data.type, status: "queued" as const };
}

export function unknownMessage(): Conflict {
  return new Conflict(
    "This version does not know the type of the message, or one of its fields, so no consumer could read it.",
    {
      suggestion: "Deploy the version that sent it, or leave it: it is deleted after 30 days.",
    },
  );
}

/** Describes a message for the audit log of the installation. */
function auditedDeadLetter(id: Id): Target {
  const row = sql`dead_letters WHERE id = ${id}`;
  return { project: installation, type: "deadLetter", id, row, name: sql`queue`, fields: { queue: sql`queue` } };
}
