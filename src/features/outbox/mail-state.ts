import { and, inArray } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { EmailStatus } from "../../core/mail/status";
import { inProject } from "../../db/scope";
import { emails } from "../../db/tables";
import type { Platform } from "../../platform/context";
import type { StoredMail } from "./message";

/** The current state of an email, from its email record. */
export interface MailState {
  status: EmailStatus;
  error: string | null;
  subject: string | null;
}

/** The maximum number of ids in one query, because D1 takes at most 100 parameters per statement. */
const idsPerQuery = 90;

/** Finds the records of stored emails, by the ids of their emails. An email without a record is left out. */
export async function statesOf(platform: Platform, mails: StoredMail[]): Promise<Map<Id, MailState>> {
  const projects = new Map(mails.flatMap(({ project }) => (project ? [[project.number, project]] : [])));
  const found = new Map<Id, MailState>();
  for (const project of projects.values()) {
    const ids = mails.flatMap((mail) => (mail.row.projectId === project.number ? mail.row.emailId : []));
    for (let from = 0; from < ids.length; from += idsPerQuery) {
      const rows = await platform
        .databaseOf(project.shard)
        .select({ id: emails.id, status: emails.status, error: emails.error, subject: emails.subject })
        .from(emails)
        .where(and(inProject({ project }), inArray(emails.id, ids.slice(from, from + idsPerQuery))));
      for (const { id, ...state } of rows) found.set(id, state);
    }
  }
  return found;
}
