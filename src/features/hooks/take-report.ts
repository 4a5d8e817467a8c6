import { sql } from "drizzle-orm";
import type { Notice } from "../../core/mail/notices/notice";
import { readTag } from "../../core/mail/tag";
import { openBatch } from "../../db/batch";
import { asText, columns } from "../../db/rows";
import { type Statement, selectFirst, statement } from "../../db/statement";
import { insertEmailEvents } from "../../engine/events/email-events";
import { updateReported } from "../../engine/mail/report";
import { findProject } from "../../engine/projects/project";
import { type Context, forProject, type Platform } from "../../platform/context";
import { searchDatabases } from "../../platform/search-databases";

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
  const batch = openBatch(ctx);
  batch.addAll(updateSent(ctx, found.emailId, provider, notice.providerMessageId));
  batch.addAll(updateReported(ctx, found.emailId, notice.report, provider));
  await batch.commit();
}

/** By our tag, or by the provider's own id where the tag does not come back. */
async function findEmail(
  platform: Platform,
  provider: string,
  { tag, providerMessageId }: Notice,
): Promise<{ projectId: string; emailId: string } | null> {
  const tagged = tag === null ? null : readTag(tag);
  if (tagged || providerMessageId === null) return tagged;
  return searchDatabases(platform, (db) =>
    selectFirst(
      db,
      sql`SELECT project_id, id AS email_id FROM emails INDEXED BY ix_emails_provider_message
        WHERE provider_message_id = ${providerMessageId} AND provider = ${provider} LIMIT 1`,
      columns({ projectId: asText, emailId: asText }),
    ),
  );
}

/**
 * A report says first of all that the provider took the mail. Where that was not recorded, because the report was
 * faster or the answer was lost, it is now; the answer then finds nothing left to say.
 */
function updateSent(ctx: Context, emailId: string, provider: string, providerMessageId: string | null): Statement[] {
  const now = ctx.clock().getTime();
  const isUnrecorded = sql`e.project_id = ${ctx.project.id} AND e.id = ${emailId} AND e.provider = ${provider}
    AND e.status IN ('QUEUED', 'SENDING', 'UNKNOWN')`;
  const items = JSON.stringify([{ emailId, event: "email.sent", eventData: {} }]);
  return [
    insertEmailEvents({ items, where: isUnrecorded, at: now }),
    statement(
      sql`UPDATE emails AS e SET status = 'SENT', error = NULL, sent_at = coalesce(sent_at, ${now}),
          provider_message_id = coalesce(provider_message_id, ${providerMessageId}), uncertain_since = NULL,
          lease_until = NULL, handed_at = NULL, next_attempt_at = NULL, next_announce_at = NULL
        WHERE ${isUnrecorded}`,
    ),
  ];
}
