import { type Id, publicId, textOf } from "../../core/ids";
import type { Platform } from "../../platform/context";
import { getStored } from "./get";
import { listStored } from "./list";
import { type MailState, statesOf } from "./mail-state";
import { type OutboxMessage, openMessage, type StoredMail } from "./message";

/** A stored mail for display. `state` is null when the email's record was deleted. */
export type ShownMail = OutboxMessage & { raw: string; projectName: string; state: MailState | null };

export interface OutboxPage {
  mails: (ShownMail & { toEmail: string })[];
  /** The next page lists emails with ids below this id; null on the last page. */
  nextBefore: string | null;
  /** A string that changes whenever the content of the page does. */
  version: string;
}

export interface Wanted {
  to?: string;
  /** A part of the subject, ignoring case. */
  subject?: string;
  before?: Id;
}

interface Found {
  mail: StoredMail;
  state: MailState | null;
}

/** Shown instead of a project's name for mail of the installation itself. */
const installation = "This installation";

const mailsPerPage = 25;
/** The number of emails that a search by subject reads at once, and the maximum number of such reads. */
const searchWindow = 270;
const maxWindows = 4;

/** Returns one page of the newest emails. Their sources are read one by one, because each may be large. */
export async function browseOutbox(platform: Platform, wanted: Wanted): Promise<OutboxPage> {
  const found = await findMails(platform, wanted);
  const shown = found.slice(0, mailsPerPage);
  const mails: OutboxPage["mails"] = [];
  for (const { mail, state } of shown) {
    const message = await openMessage(platform, mail);
    mails.push({ ...message, toEmail: mail.row.toEmail, projectName: mail.project?.name ?? installation, state });
  }
  const last = found.length > mailsPerPage ? shown.at(-1) : undefined;
  return { mails, nextBefore: last ? publicId(last.mail.row.id) : null, version: versionOf(found) };
}

/** Returns the current version of a page and its emails, without reading any source. */
export async function outboxVersion(
  platform: Platform,
  wanted: Wanted,
): Promise<{ version: string; mails: { id: string }[] }> {
  const found = await findMails(platform, wanted);
  return { version: versionOf(found), mails: found.map(({ mail }) => ({ id: publicId(mail.row.id) })) };
}

function versionOf(found: Found[]): string {
  return found.map(({ mail, state }) => `${textOf(mail.row.id)}.${state?.status}`).join(" ");
}

/** Returns one email. */
export async function showMail(platform: Platform, id: Id): Promise<ShownMail> {
  const mail = await getStored(platform, id);
  const states = await statesOf(platform, [mail]);
  const message = await openMessage(platform, mail);
  return { ...message, projectName: mail.project?.name ?? installation, state: states.get(mail.row.emailId) ?? null };
}

/**
 * Returns the emails of a page, and one more if there is a next page. A search by subject scans only about a thousand
 * emails.
 */
async function findMails(platform: Platform, { to, subject, before }: Wanted): Promise<Found[]> {
  const isSearch = subject !== undefined;
  const limit = isSearch ? searchWindow : mailsPerPage + 1;
  const found: Found[] = [];
  let from = before;
  for (let window = 0; window < (isSearch ? maxWindows : 1) && found.length <= mailsPerPage; window++) {
    const stored = await listStored(platform, { to, before: from, limit });
    const states = await statesOf(platform, stored);
    const all = stored.map((mail) => ({ mail, state: states.get(mail.row.emailId) ?? null }));
    found.push(...all.filter(({ state }) => !isSearch || contains(state?.subject, subject)));
    if (stored.length < limit) break;
    from = stored.at(-1)?.row.id;
  }
  return found.slice(0, mailsPerPage + 1);
}

function contains(text: string | null | undefined, part: string): boolean {
  return (text ?? "").toLowerCase().includes(part.toLowerCase());
}
