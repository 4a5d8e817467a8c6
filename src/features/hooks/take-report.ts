import { sql } from "drizzle-orm";
import { type Id, readId } from "../../core/ids";
import { isReportedHit, type Notice, type ReportedHit } from "../../core/mail/notices/notice";
import { endsTrust, meaningOf } from "../../core/mail/status";
import { readTag } from "../../core/mail/tag";
import type { Hit } from "../../core/tracking/hit";
import { openBatch } from "../../db/batch";
import { recordHits } from "../../engine/mail/report/hits";
import { updateReported, updateSent } from "../../engine/mail/report/report";
import { judgeReputation } from "../../engine/mail/report/reputation";
import { findProjectById } from "../../engine/projects/project";
import { type Context, forProject, type Platform } from "../../platform/context";

/**
 * Applies a provider's report. A report can arrive late, twice, or even before the call that handed the mail over is
 * recorded. The email is found only by our own tag in the report. A report about an unknown email, or about one sent by
 * another provider, has no effect.
 */
export async function takeReport(platform: Platform, provider: string, notice: Notice): Promise<void> {
  const tag = notice.tag === null ? null : readTag(notice.tag);
  const project = tag && (await findProjectById(platform, tag.projectId));
  if (!project) {
    platform.log("info", "A report matches no email of this installation", { provider, report: notice.report.kind });
    return;
  }
  await applyReport(forProject(platform, project), provider, readId(tag.emailId), notice);
}

/** Applies a report to the email that it is about. */
export async function applyReport(ctx: Context, provider: string, emailId: Id, notice: Notice): Promise<void> {
  const { report, providerMessageId } = notice;
  if (isReportedHit(report)) {
    return recordHits(ctx, [hitOf(ctx, emailId, notice, report)], { provider, providerMessageId });
  }
  const batch = openBatch(ctx);
  batch.addAll(updateSent(ctx, [emailId], { isMeant: sql`e.provider = ${provider}`, providerMessageId }));
  batch.addAll(updateReported(ctx, { emailId }, report, provider, notice.id));
  await batch.commit();
  // Runs for a repeated report too, because the first delivery of the report might have failed before this point.
  if (endsTrust(meaningOf(report))) await judgeReputation(ctx);
}

/**
 * Returns the hit for an open or click that the provider itself tracked. If the provider gives no id, the hit is
 * identified by its content.
 */
function hitOf(ctx: Context, emailId: Id, { id, providerMessageId }: Notice, report: ReportedHit): Hit {
  const { kind, at, link, isAutomated } = report;
  return {
    ...{ emailId, kind, link, isAutomated },
    id: id ?? [kind, providerMessageId, at, link].join(" "),
    at: Math.min(at ?? Number.POSITIVE_INFINITY, ctx.now.getTime()),
  };
}
