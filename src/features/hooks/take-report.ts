import { sql } from "drizzle-orm";
import type { Notice } from "../../core/mail/notices/notice";
import { readTag } from "../../core/mail/tag";
import { query, statement } from "../../db/commit";
import { commitAndAnnounce } from "../../engine/events/announce";
import { emailEvents } from "../../engine/events/email-events";
import { reportStatements } from "../../engine/mail/report";
import { findProject } from "../../engine/projects/project";
import { type Context, forProject, type Platform } from "../../platform/context";

/**
 * What a provider reports by itself takes effect. It may come late, twice, or before the call that handed the mail
 * over has been recorded; one of an email that is not there, or that another provider carried, has no effect.
 */
export async function takeReport(platform: Platform, provider: string, notice: Notice): Promise<void> {
  const found = await findEmail(platform, provider, notice);
  const project = found && (await findProject(platform, found.projectId));
  if (!project) {
    platform.log("info", "A report is of no email here", { provider, report: notice.report.kind });
    return;
  }
  const ctx = forProject(platform, project);
  await commitAndAnnounce(ctx, [
    ...sentStatements(ctx, found.emailId, provider, notice.providerMessageId),
    ...reportStatements(ctx, found.emailId, notice.report, provider),
  ]);
}

/** By our tag, or by the provider's own id where the tag does not come back. */
async function findEmail(
  platform: Platform,
  provider: string,
  { tag, providerMessageId }: Notice,
): Promise<{ projectId: string; emailId: string } | null> {
  const tagged = tag === null ? null : readTag(tag);
  if (tagged || providerMessageId === null) return tagged;
  for (const db of platform.databases) {
    const [row] = await query(
      db,
      sql`SELECT id, project_id FROM emails INDEXED BY ix_emails_provider_message
        WHERE provider_message_id = ${providerMessageId} AND provider = ${provider} LIMIT 1`,
    );
    if (row) return { projectId: String(row.project_id), emailId: String(row.id) };
  }
  return null;
}

/**
 * A report says first of all that the provider took the mail. Where that was not recorded, because the report was
 * faster or the answer was lost, it is now; the answer then finds nothing left to say.
 */
function sentStatements(
  ctx: Context,
  emailId: string,
  provider: string,
  providerMessageId: string | null,
): D1PreparedStatement[] {
  const now = ctx.clock().getTime();
  const isUnrecorded = sql`e.project_id = ${ctx.project.id} AND e.id = ${emailId} AND e.provider = ${provider}
    AND e.status IN ('QUEUED', 'SENDING', 'UNKNOWN')`;
  const items = JSON.stringify([{ emailId, event: "email.sent", eventData: {} }]);
  return [
    emailEvents(ctx.db, { items, where: isUnrecorded, at: now }),
    statement(
      ctx.db,
      sql`UPDATE emails AS e SET status = 'SENT', error = NULL, sent_at = coalesce(sent_at, ${now}),
          provider_message_id = coalesce(provider_message_id, ${providerMessageId}), uncertain_since = NULL,
          lease_until = NULL, handed_at = NULL, next_attempt_at = NULL, next_announce_at = NULL
        WHERE ${isUnrecorded}`,
    ),
  ];
}
