import { eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { outboxMessages } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { type OutboxMessage, openMessage } from "./message";

/** One kept mail with its MIME source. */
export async function getMessage(platform: Platform, id: string): Promise<OutboxMessage & { raw: string }> {
  const row = await platform.control.select().from(outboxMessages).where(eq(outboxMessages.id, id)).get();
  if (!row) throw new NotFound("message", id);
  return openMessage(platform, row);
}
