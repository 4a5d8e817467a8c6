import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { domainOf, normalizeEmail } from "../../core/mail/address";
import type { Notice } from "../../core/mail/notices/notice";
import { asId, asNumber, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import { findProject } from "../../engine/projects/project";
import { type Context, forProject, type Platform } from "../../platform/context";

/** The maximum number of emails of a recipient that are searched, the newest first. */
const maxSearched = 1_000;

const readProject = columns({ projectId: asNumber });
const readEmail = columns({ id: asId });

/**
 * Finds the email of a report that lacks our tag, by the id that the provider gave the message. Searches the mail to
 * the report's recipient, in the project that owns the sender's domain. Returns null when there is no such email, or
 * none yet: a report can arrive before the call that handed the mail over is recorded.
 */
export async function findUntagged(
  platform: Platform,
  provider: string,
  { addresses, providerMessageId }: Notice,
): Promise<{ ctx: Context; emailId: Id } | null> {
  const sender = normalizeEmail(addresses?.sender ?? "");
  const recipient = normalizeEmail(addresses?.recipient ?? "");
  if (sender === null || recipient === null || providerMessageId === null) return null;
  const owner = await selectFirst(
    platform.control,
    sql`SELECT project_id FROM verified_domains WHERE domain = ${domainOf(sender)}`,
    readProject,
  );
  const project = owner && (await findProject(platform, owner.projectId));
  if (!project) return null;
  const ctx = forProject(platform, project);
  const mailsTo = sql`FROM contacts c CROSS JOIN emails e INDEXED BY ux_emails_contact
    ON e.project_id = c.project_id AND e.contact_id = c.id WHERE ${inProject(ctx, "c")} AND c.email = ${recipient}`;
  const found = await selectFirst(
    ctx.db,
    sql`SELECT id FROM (
        SELECT * FROM (SELECT e.id, e.provider, e.provider_message_id ${mailsTo} AND e.campaign_id IS NULL
          ORDER BY e.id DESC LIMIT ${maxSearched})
        UNION ALL
        SELECT * FROM (SELECT e.id, e.provider, e.provider_message_id ${mailsTo} AND e.campaign_id > ''
          ORDER BY e.campaign_id DESC LIMIT ${maxSearched}))
      WHERE provider = ${provider} AND provider_message_id = ${providerMessageId} LIMIT 1`,
    readEmail,
  );
  return found && { ctx, emailId: found.id };
}
