import { sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { QueueMessage, redelivered } from "../../core/messages";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import { deadLetters } from "../../db/tables";
import type { Platform } from "../../platform/context";

/**
 * Sends a message again that its queue gave up on, and forgets that it did. Throws NotFound, and Conflict for a message
 * that this version does not know. A call that dies between the two, or a second one, sends the message twice, as queues
 * do: its handler expects that.
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
  batch.add(statement(sql`DELETE FROM dead_letters WHERE id = ${id}`));
  await batch.commit();
  return { id: publicId(id), type: data.type, status: "queued" as const };
}

export function unknownMessage(): Conflict {
  return new Conflict("This version does not know the type of the message, so no consumer could read it.", {
    suggestion: "Deploy the version that sent it, or leave it: it is forgotten after 30 days.",
  });
}
