import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { Outcome } from "../../core/mail/outcome";
import type { EmailType } from "../../core/mail/status";
import { type Statement, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { updateMarked } from "../campaigns/mark-pages";
import { insertEmailEvents } from "../events/email-events";
import { updateUsageOfUnsent } from "../projects/monthly-usage";
import { announceGraceMs } from "./announce";

/** The result for one email. */
export interface Result extends Outcome {
  projectId: number;
  emailId: Id;
  /** The email's own campaign. */
  campaignId: Id | null;
  /** The round of the result. Null for an email that was never handed over. */
  round: string | null;
}

/** Results, and the emails to which they are written. */
interface WrittenResults {
  results: (Result & { type?: EmailType; topicId?: Id | null })[];
  /** A condition that finds the email `e` of each item `r` by its key. */
  where: SQL;
  at: number;
  /** The reason, if only the database knows it. */
  error?: SQL;
}

/**
 * The statements that record results, for one batch; none without results. The marks of campaigns' pages, the events and the
 * returned usage go first, because they read the state before the change: so a repeat adds nothing.
 */
export function updateResults(
  platform: Pick<Platform, "databaseNow" | "realDatabaseNow" | "realClock">,
  { results, where, at, error = sql`r.value->>'error'` }: WrittenResults,
): Statement[] {
  if (results.length === 0) return [];
  const written = results.map((result) => itemOf(result, at));
  const items = JSON.stringify(written);
  const ofCampaigns = results.some(({ campaignId }) => campaignId !== null);
  return [
    ...(ofCampaigns ? [updateMarked(platform, { from: sql`json_each(${items}) r CROSS JOIN emails e`, where })] : []),
    ...(written.some(({ event }) => event !== null) ? [insertEmailEvents(platform, { items, where })] : []),
    ...(results.some(isUnsent) ? [updateUsageOfUnsent(items, where)] : []),
    statement(
      sql`UPDATE emails AS e SET status = r.value->>'status', error = ${unlessErased(error)},
          provider_message_id = coalesce(r.value->>'providerMessageId', provider_message_id),
          sent_at = coalesce(r.value->>'sentAt', sent_at), uncertain_since = r.value->>'uncertainSince',
          attempts = attempts - (r.value->>'isUntried'), next_attempt_at = r.value->>'retryAt', due_at = r.value->>'dueAt', handed_at = NULL,
          ended_at = r.value->>'endedAt',
          round = CASE WHEN r.value->>'status' IN ('QUEUED', 'UNKNOWN') THEN round END
        FROM json_each(${items}) r
        WHERE ${where}`,
    ),
  ];
}

/** Whether an email returns its place in the monthly limit. */
function isUnsent({ status }: Pick<Outcome, "status">): boolean {
  return status === "FAILED" || status === "SUPPRESSED" || status === "CANCELLED";
}

/**
 * A provider's text may contain its recipient's address, so it is dropped for erased contacts. Only their emails have
 * an empty address.
 */
function unlessErased(error: SQL): SQL {
  return sql`CASE WHEN e.to_email <> '' OR r.value->>'status' = 'CANCELLED' THEN ${error} END`;
}

function itemOf(given: WrittenResults["results"][number], at: number) {
  const { reports: _, ...result } = given;
  const { status, error, retryAt } = result;
  return {
    ...result,
    isUnsent: isUnsent(result),
    dueAt: retryAt === null ? null : retryAt + announceGraceMs,
    sentAt: status === "SENT" ? at : null,
    endedAt: status === "SENT" || status === "QUEUED" ? null : at,
    event: status === "SENT" ? "email.sent" : status === "FAILED" ? "email.failed" : null,
    eventData: status === "FAILED" ? { reason: error } : {},
  };
}
