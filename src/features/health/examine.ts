import { fail, type Health, type HealthFinding, worstOf } from "../../core/operating/health-finding";
import { productVersion } from "../../core/product-version";
import { iso } from "../../core/time";
import { keepReport } from "../../engine/operating/keep-report";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { databaseSizes, migrations } from "./checks/databases";
import { failedMail, mailLanes, queuedMail, reputation, senderDomains } from "./checks/mail";
import { mailProvider, mailReports } from "./checks/provider";
import { publicUrl, secrets } from "./checks/settings";
import { crons, deadLetters, events, jobs, projectMoves, workflowShards } from "./checks/work";
import { type HealthCheck, type Look, openLook } from "./look";

/** All checks, in the order of the answer. */
export const checks: readonly HealthCheck[] = [
  ...[migrations, databaseSizes, secrets, publicUrl],
  ...[crons, deadLetters, jobs, events, workflowShards, projectMoves],
  ...[mailProvider, mailReports, mailLanes, queuedMail, failedMail],
  ...[senderDomains, reputation],
];

export interface HealthReport {
  status: Health;
  version: string;
  checkedAt: string;
  checks: (HealthFinding & { name: string })[];
}

/** The maximum time that a check may take, so that the answer comes within two seconds. */
const patienceMs = 1_800;
/** Runs all checks concurrently. No check waits for another, and a failed one does not affect the others. */
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
    mend: "Ask again. If this persists, look at migrations, at the log of the Worker and at cloudflarestatus.com.",
  });
}

/** Returns the health of the installation. A report is reused for fifteen seconds. */
export const health = keepReport(examineAll);
