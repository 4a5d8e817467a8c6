import { eq } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import type { Id } from "../../core/ids";
import { outboxMessages } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { selectKept } from "./list";
import { type KeptMail, type OutboxMessage, openMessage } from "./message";

/** Returns one stored mail with its MIME source. */
export async function getMessage(platform: Platform, id: Id): Promise<OutboxMessage & { raw: string }> {
  return openMessage(platform, await getKept(platform, id));
}

export async function getKept(platform: Platform, id: Id): Promise<KeptMail> {
  const mail = await selectKept(platform, eq(outboxMessages.id, id)).get();
  if (!mail) throw new NotFound("message", id);
  return mail;
}
