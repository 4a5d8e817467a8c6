import { inArray } from "drizzle-orm";
import { projects } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { getMessage } from "./get";
import { listRows } from "./list";
import { type OutboxMessage, openMessage } from "./message";

/** A kept mail for a person to look at. */
export type ShownMail = OutboxMessage & { raw: string; projectName: string };

export interface OutboxPage {
  mails: (ShownMail & { toEmail: string })[];
  /** The id to go on before, when there are older ones. */
  nextBefore: string | null;
}

const mailsPerPage = 25;

/** One page of the newest mails. They are opened one by one: each may be large. */
export async function browseOutbox(
  platform: Platform,
  { to, before }: { to?: string; before?: string },
): Promise<OutboxPage> {
  const rows = await listRows(platform, { to, before, limit: mailsPerPage + 1 });
  const shown = rows.slice(0, mailsPerPage);
  const nameOf = await projectNames(
    platform,
    shown.map((row) => row.projectId),
  );
  const mails: OutboxPage["mails"] = [];
  for (const row of shown) {
    const message = await openMessage(platform, row);
    mails.push({ ...message, toEmail: row.toEmail, projectName: nameOf(row.projectId) });
  }
  return { mails, nextBefore: rows.length > mailsPerPage ? (shown.at(-1)?.id ?? null) : null };
}

/** One mail. */
export async function showMail(platform: Platform, id: string): Promise<ShownMail> {
  const mail = await getMessage(platform, id);
  const nameOf = await projectNames(platform, [mail.projectId]);
  return { ...mail, projectName: nameOf(mail.projectId) };
}

async function projectNames(platform: Platform, ids: string[]): Promise<(id: string) => string> {
  const rows = await platform.control
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(inArray(projects.id, [...new Set(ids)]));
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? "deleted project";
}
