import { and, desc, eq, getTableColumns, lt, ne, type SQL } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { normalizeEmail } from "../../core/mail/address";
import { outboxMessages, projects } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { type OutboxMessage, openMessage, type StoredMail } from "./message";

/**
 * Matches accepted mail. Mail that the provider did not accept is stored under the id of its email, and appears only on
 * the outbox's pages, not in the API.
 */
const wasAccepted = ne(outboxMessages.id, outboxMessages.emailId);

/** Lists the newest accepted emails. Their sources are read one by one, because each may be large. */
export async function listMessages(
  platform: Platform,
  { to, limit }: { to?: string; limit: number },
): Promise<OutboxMessage[]> {
  const messages: OutboxMessage[] = [];
  for (const mail of await listStored(platform, { to, limit }, wasAccepted)) {
    const { raw: _, ...message } = await openMessage(platform, mail);
    messages.push(message);
  }
  return messages;
}

/**
 * Lists stored mail. `to` is compared in normalized form, and matches nothing when it is not an address. `before` is an
 * id.
 */
export async function listStored(
  platform: Platform,
  { to, before, limit }: { to?: string; before?: Id; limit: number },
  condition?: SQL,
): Promise<StoredMail[]> {
  const recipient = to === undefined ? undefined : eq(outboxMessages.toEmail, normalizeEmail(to) ?? to);
  const older = before === undefined ? undefined : lt(outboxMessages.id, before);
  return selectStored(platform, and(recipient, older, condition))
    .orderBy(desc(outboxMessages.id))
    .limit(limit);
}

const { source: _, ...shown } = getTableColumns(outboxMessages);

/**
 * Selects stored emails with their projects; a deleted project's mail remains until the project's row is gone. Mail of
 * the installation itself has no project. When another provider is in use, only mail of test clocks is selected.
 */
export function selectStored(platform: Platform, condition: SQL | undefined) {
  return platform.control
    .select({
      row: shown,
      project: { id: projects.id, number: projects.number, shard: projects.shard, name: projects.name },
    })
    .from(outboxMessages)
    .leftJoin(projects, eq(projects.number, outboxMessages.projectId))
    .where(and(condition, platform.config.mail.provider.name === "outbox" ? undefined : eq(projects.testClock, true)));
}
