import { eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { outboxMessages } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { selectStored } from "./list";
import { type OutboxMessage, openMessage, type StoredMail } from "./message";

/** Returns one stored mail with its MIME source. */
export async function getMessage(platform: Platform, id: Id): Promise<OutboxMessage & { raw: string }> {
  return openMessage(platform, await getStored(platform, id));
}

export async function getStored(platform: Platform, id: Id): Promise<StoredMail> {
  const mail = await selectStored(platform, eq(outboxMessages.id, id)).get();
  if (!mail) throw new NotFound("message", id);
  return mail;
}
