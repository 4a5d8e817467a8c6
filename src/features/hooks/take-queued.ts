import { secondMs } from "../../core/time";
import type { Platform } from "../../platform/context";
import { readQueuedReport } from "../../platform/mailer/providers";
import { findUntagged } from "./find-untagged";
import { applyReport } from "./take-report";

/** After this many attempts, some ten minutes, a mail that is not here will not be. */
const maxAttempts = 5;
const againAfterMs = 30 * secondMs;

/**
 * Takes the reports that a provider puts into a queue. Another message there, and a report of somebody else's mail, has no
 * effect. A report whose mail is not found comes again, because it may be faster than the record of its mail.
 */
export async function takeQueued(platform: Platform, messages: readonly Message[]): Promise<void> {
  for (const message of messages) {
    const report = readQueuedReport(message.body);
    const found = report && (await findUntagged(platform, report.provider, report.notice));
    if (found) {
      await applyReport(found.ctx, report.provider, found.emailId, report.notice);
    } else if (report && message.attempts < maxAttempts) {
      message.retry({ delaySeconds: (message.attempts * againAfterMs) / secondMs });
      continue;
    } else {
      const event = report?.notice.report.kind ?? "unknown";
      platform.log("info", "A report belongs to no email here", { provider: report?.provider, report: event });
    }
    message.ack();
  }
}
