import { sql } from "drizzle-orm";
import { type Id, readId } from "../../core/ids";
import type { Notice } from "../../core/mail/notices/notice";
import { endsTrust, meaningOf } from "../../core/mail/status";
import { readTag } from "../../core/mail/tag";
import { openBatch } from "../../db/batch";
import { type Statement, statement } from "../../db/statement";
import { updateMarked } from "../../engine/campaigns/mark-pages";
import { insertEmailEvents } from "../../engine/events/email-events";
import { updateReported } from "../../engine/mail/report";
import { insertBlock, judgeReputation } from "../../engine/mail/reputation";
import { findProjectById } from "../../engine/projects/project";
import { type Context, forProject, type Platform } from "../../platform/context";

/**
 * Applies a provider's report. It may come late, twice, or before the call that handed the mail over is recorded. A
 * report of an unknown email, or of one sent by another provider, has no effect. Only our own tag leads from a report
 * to its email.
 */
export async function takeReport(platform: Platform, provider: string, notice: Notice): Promise<void> {
  const tag = notice.tag === null ? null : readTag(notice.tag);
  const project = tag && (await findProjectById(platform, tag.projectId));
  if (!project) {
    platform.log("info", "A report is of no email here", { provider, report: notice.report.kind });
    return;
  }
  const ctx = forProject(platform, project);
  const emailId = readId(tag.emailId);
  const batch = openBatch(ctx);
  batch.addAll(updateSent(ctx, emailId, provider, notice.providerMessageId));
  batch.addAll(updateReported(ctx, { emailId }, notice.report, provider, notice.id));
  await batch.commit();
  // Also of a report that is repeated: nobody may have come so far the first time.
  if (endsTrust(meaningOf(notice.report))) await judgeReputation(ctx);
}

/**
 * Every report shows that the provider accepted the mail. If that is not recorded yet, because the report was faster or
 * the answer was lost, it is recorded now; the answer then changes nothing.
 */
function updateSent(ctx: Context, emailId: Id, provider: string, providerMessageId: string | null): Statement[] {
  const now = ctx.clock().getTime();
  const isUnrecorded = sql`e.project_id = ${ctx.project.number} AND e.id = ${emailId} AND e.provider = ${provider}
    AND e.status IN ('QUEUED', 'SENDING', 'UNKNOWN')`;
  const items = JSON.stringify([{ projectId: ctx.project.number, emailId, event: "email.sent", eventData: {} }]);
  return [
    updateMarked(ctx, { where: isUnrecorded }),
    insertEmailEvents(ctx, { items, where: isUnrecorded }),
    insertBlock(ctx, now),
    statement(
      sql`UPDATE emails AS e SET status = 'SENT', error = NULL, sent_at = coalesce(sent_at, ${now}),
          provider_message_id = coalesce(provider_message_id, ${providerMessageId}), uncertain_since = NULL,
          round = NULL, handed_at = NULL, next_attempt_at = NULL, due_at = NULL
        WHERE ${isUnrecorded}`,
    ),
  ];
}
