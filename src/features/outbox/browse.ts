import { type Id, publicId, textOf } from "../../core/ids";
import type { Platform } from "../../platform/context";
import { getKept } from "./get";
import { listKept } from "./list";
import { type KeptMail, type OutboxMessage, openMessage } from "./message";
import { type Standing, standingsOf } from "./standing";

/** A stored mail for display. `standing` is null when its record is deleted. */
export type ShownMail = OutboxMessage & { raw: string; projectName: string; standing: Standing | null };

export interface OutboxPage {
  mails: (ShownMail & { toEmail: string })[];
  /** The id that the next page starts below; null when there are no older mails. */
  nextBefore: string | null;
  /** The version of the page, which changes when the page would show something else. */
  version: string;
}

export interface Wanted {
  to?: string;
  /** A part of the subject, in upper or lower case. */
  subject?: string;
  before?: Id;
}

interface Found {
  mail: KeptMail;
  standing: Standing | null;
}

const mailsPerPage = 25;
/** The number of mails that a search by subject reads at once, and the number of such reads. */
const searchWindow = 270;
const maxWindows = 4;

/** Returns one page of the newest mails. They are opened one by one, because each may be large. */
export async function browseOutbox(platform: Platform, wanted: Wanted): Promise<OutboxPage> {
  const found = await findMails(platform, wanted);
  const shown = found.slice(0, mailsPerPage);
  const mails: OutboxPage["mails"] = [];
  for (const { mail, standing } of shown) {
    const message = await openMessage(platform, mail);
    mails.push({ ...message, toEmail: mail.row.toEmail, projectName: mail.project.name, standing });
  }
  const last = found.length > mailsPerPage ? shown.at(-1) : undefined;
  return { mails, nextBefore: last ? publicId(last.mail.row.id) : null, version: versionOf(found) };
}

/** Returns the current version of a page and its mails, without opening any. */
export async function outboxVersion(
  platform: Platform,
  wanted: Wanted,
): Promise<{ version: string; mails: { id: string }[] }> {
  const found = await findMails(platform, wanted);
  return { version: versionOf(found), mails: found.map(({ mail }) => ({ id: publicId(mail.row.id) })) };
}

function versionOf(found: Found[]): string {
  return found.map(({ mail, standing }) => `${textOf(mail.row.id)}.${standing?.status}`).join(" ");
}

/** Returns one mail. */
export async function showMail(platform: Platform, id: Id): Promise<ShownMail> {
  const mail = await getKept(platform, id);
  const standings = await standingsOf(platform, [mail]);
  const message = await openMessage(platform, mail);
  return { ...message, projectName: mail.project.name, standing: standings.get(mail.row.emailId) ?? null };
}

/** Returns the mails of a page, and one more if there is one. A search by subject scans only the newest thousand. */
async function findMails(platform: Platform, { to, subject, before }: Wanted): Promise<Found[]> {
  const isSearch = subject !== undefined;
  const limit = isSearch ? searchWindow : mailsPerPage + 1;
  const found: Found[] = [];
  let from = before;
  for (let window = 0; window < (isSearch ? maxWindows : 1) && found.length <= mailsPerPage; window++) {
    const kept = await listKept(platform, { to, before: from, limit });
    const standings = await standingsOf(platform, kept);
    const all = kept.map((mail) => ({ mail, standing: standings.get(mail.row.emailId) ?? null }));
    found.push(...all.filter(({ standing }) => !isSearch || contains(standing?.subject, subject)));
    if (kept.length < limit) break;
    from = kept.at(-1)?.row.id;
  }
  return found.slice(0, mailsPerPage + 1);
}

function contains(text: string | null | undefined, part: string): boolean {
  return (text ?? "").toLowerCase().includes(part.toLowerCase());
}
