import { type Id, publicId } from "../../core/ids";
import type { Platform } from "../../platform/context";
import { getKept } from "./get";
import { listKept } from "./list";
import { type OutboxMessage, openMessage } from "./message";

/** A stored mail for display. */
export type ShownMail = OutboxMessage & { raw: string; projectName: string };

export interface OutboxPage {
  mails: (ShownMail & { toEmail: string })[];
  /** The id before which the next page begins; null when there are no older mails. */
  nextBefore: string | null;
}

const mailsPerPage = 25;

/** One page of the newest mails. They are opened one by one, because each may be large. */
export async function browseOutbox(
  platform: Platform,
  { to, before }: { to?: string; before?: Id },
): Promise<OutboxPage> {
  const kept = await listKept(platform, { to, before, limit: mailsPerPage + 1 });
  const shown = kept.slice(0, mailsPerPage);
  const mails: OutboxPage["mails"] = [];
  for (const mail of shown) {
    const message = await openMessage(platform, mail);
    mails.push({ ...message, toEmail: mail.row.toEmail, projectName: mail.project.name });
  }
  const last = kept.length > mailsPerPage ? shown.at(-1) : undefined;
  return { mails, nextBefore: last ? publicId(last.row.id) : null };
}

/** One mail. */
export async function showMail(platform: Platform, id: Id): Promise<ShownMail> {
  const mail = await getKept(platform, id);
  return { ...(await openMessage(platform, mail)), projectName: mail.project.name };
}
