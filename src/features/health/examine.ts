import { fail, type Health, type HealthFinding, worstOf } from "../../core/operating/health-finding";
import { productVersion } from "../../core/product-version";
import { iso } from "../../core/time";
import type { Platform } from "../../platform/context";
import type { Config } from "../../platform/env";
import { reasonOf } from "../../platform/log";
import { databaseSizes, migrations } from "./checks/databases";
import { failedMail, mailLanes, queuedMail, reputation, senderDomains } from "./checks/mail";
import { mailProvider, mailReports } from "./checks/provider";
import { publicUrl, secrets } from "./checks/settings";
import { crons, deadLetters, events, jobs, workflowShards } from "./checks/work";
import { type HealthCheck, type Look, openLook } from "./look";

/** Every check, in the order of the answer. */
export const checks: readonly HealthCheck[] = [
  ...[migrations, databaseSizes, secrets, publicUrl],
  ...[crons, deadLetters, jobs, events, workflowShards],
  ...[mailProvider, mailReports, mailLanes, queuedMail, failedMail],
  ...[senderDomains, reputation],
];

export interface HealthReport {
  status: Health;
  version: string;
  checkedAt: string;
  checks: (HealthFinding & { name: string })[];
}

/** The answer comes within two seconds. */
const patienceMs = 1_800;
/** A check is as costly as a request, and monitors ask often. */
const keptMs = 15_000;

/** The last report of this isolate, by its settings: an isolate has one, and each test has its own. */
const reports = new WeakMap<Config, { at: number; report: HealthReport }>();

/** Returns the health of the installation. A report is used again for fifteen seconds. */
export async function health(platform: Platform): Promise<HealthReport> {
  const now = platform.realClock().getTime();
  const known = reports.get(platform.config);
  if (known && now - known.at < keptMs) return known.report;
  const report = await examineAll(platform);
  reports.set(platform.config, { at: now, report });
  return report;
}

/** Runs every check at once. None waits for another, and none can fail another. */
export async function examineAll(platform: Platform): Promise<HealthReport> {
  const look = openLook(platform);
  const late = platform.sleep(patienceMs);
  const found = await Promise.all(checks.map((check) => examine(check, look, late)));
  return {
    status: worstOf(found.map(({ status }) => status)),
    version: productVersion,
    checkedAt: iso(look.now),
    checks: found,
  };
}

async function examine(
  { name, examine }: HealthCheck,
  look: Look,
  late: Promise<void>,
): Promise<HealthReport["checks"][number]> {
  const tooLate = late.then(() => unanswered(`It had no answer after ${patienceMs / 1000} seconds.`));
  const finding = examine(look).catch((error: unknown) => unanswered(reasonOf(error)));
  return { name, ...(await Promise.race([finding, tooLate])) };
}

function unanswered(detail: string): HealthFinding {
  return fail("This could not be checked.", {
    detail,
    mend: "Ask again. If it stays, look at migrations, at the log of the Worker and at cloudflarestatus.com.",
  });
}
