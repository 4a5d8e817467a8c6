import { and, desc, eq, lt } from "drizzle-orm";
import { normalizeEmail } from "../../core/mail/address";
import { outboxMessages } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { type OutboxMessage, type OutboxRow, openMessage } from "./message";

/** The newest kept mails, whole. They are opened one by one: each may be large. */
export async function listMessages(
  platform: Platform,
  { to, limit }: { to?: string; limit: number },
): Promise<OutboxMessage[]> {
  const messages: OutboxMessage[] = [];
  for (const row of await listRows(platform, { to, limit })) {
    const { raw: _, ...message } = await openMessage(platform, row);
    messages.push(message);
  }
  return messages;
}

/** `to` is compared in the form addresses are kept in; something that is no address has no mail. `before` is an id. */
export async function listRows(
  platform: Platform,
  { to, before, limit }: { to?: string; before?: string; limit: number },
): Promise<OutboxRow[]> {
  const recipient = to === undefined ? undefined : eq(outboxMessages.toEmail, normalizeEmail(to) ?? to);
  const older = before === undefined ? undefined : lt(outboxMessages.id, before);
  return platform.control
    .select()
    .from(outboxMessages)
    .where(and(recipient, older))
    .orderBy(desc(outboxMessages.id))
    .limit(limit);
}
