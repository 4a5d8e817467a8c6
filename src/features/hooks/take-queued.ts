import { hourMs } from "../../core/time";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { readQueuedReport } from "../../platform/mailer/providers";
import { findUntagged } from "./find-untagged";
import { applyReport } from "./take-report";

/**
 * How long a report is redelivered while its mail is not found. When a database does not answer, the results of a call
 * can be recorded hours later.
 */
const patienceMs = 6 * hourMs;
/** The wait before the first redelivery. The wait doubles with each attempt, up to `longestWaitSeconds`. */
const againAfterSeconds = 10;
const longestWaitSeconds = 600;

/**
 * Takes the reports that a provider puts into a queue. Other messages in the queue, and reports about mail that Petrel
 * did not send, have no effect. A report can arrive before its mail is recorded, so a report whose mail is not found is
 * redelivered. When a report fails, only that report is redelivered.
 */
export async function takeQueued(platform: Platform, messages: readonly Message[]): Promise<void> {
  for (const message of messages) {
    try {
      if (await takeOne(platform, message)) message.ack();
      else tryLater(message);
    } catch (error) {
      platform.log("error", "A report failed and will be tried again", { reason: reasonOf(error) });
      tryLater(message);
    }
  }
}

function tryLater(message: Message): void {
  message.retry({ delaySeconds: Math.min(againAfterSeconds * 2 ** (message.attempts - 1), longestWaitSeconds) });
}

/** Takes one message. Returns false when the report's mail is not found but might still be recorded. */
async function takeOne(platform: Platform, { body, timestamp }: Message): Promise<boolean> {
  const report = readQueuedReport(body);
  if (report === null) {
    platform.log("info", "A message in the queue of reports is not a report", {});
    return true;
  }
  const { provider, notice } = report;
  const found = await findUntagged(platform, provider, notice);
  if (found) {
    await applyReport(found.ctx, provider, found.emailId, notice);
    return true;
  }
  const waitedMs = platform.now.getTime() - timestamp.getTime();
  if (waitedMs < patienceMs) return false;
  platform.log("info", "A report matches no email of this installation", { provider, report: notice.report.kind });
  return true;
}
