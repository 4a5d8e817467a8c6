import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { MailOutcome } from "../../../core/mail/outcome";
import type { EmailType } from "../../../core/mail/status";
import { type Statement, statement } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { updateMarked } from "../../campaigns/mark-pages";
import { insertEmailEvents } from "../../events/email-events";
import { updateUsageOfUnsent } from "../../projects/monthly-usage";
import { announceGraceMs } from "../announce";

/** The result for one email. */
export interface Result extends MailOutcome {
  projectId: number;
  emailId: Id;
  /** The campaign of the email; null when it has none. */
  campaignId: Id | null;
  /** The round to which the result belongs; null for an email that was never handed over. */
  round: string | null;
  settledBy?: "lookup" | undefined;
}

/** A result with further fields that the condition `where` may use. */
type WrittenResult = Result & { type?: EmailType; topicId?: Id | null };

/** Results, and the emails to which they are written. */
interface WrittenResults {
  results: WrittenResult[];
  /** A condition that finds the email `e` of each item `r` by its key. */
  where: SQL;
  at: number;
  /** The error text as SQL; set only when it depends on the database. */
  error?: SQL;
}

/**
 * Returns the statements that record results, for one batch. The statements that mark the pages of campaigns, write
 * events and return quota come first, because they read the state before the change. After the change they match
 * nothing, so a repeat adds nothing.
 */
export function updateResults(
  platform: Pick<Platform, "databaseNow" | "realDatabaseNow" | "realClock">,
  { results, where, at, error = sql`r.value->>'error'` }: WrittenResults,
): Statement[] {
  if (results.length === 0) return [];
  const items = JSON.stringify(results.map((result) => itemOf(result, at)));
  const events = results.flatMap(eventsOf);
  const unsent = results.filter(isUnsent);
  const ofCampaigns = results.filter(({ campaignId }) => campaignId !== null);
  return [
    ...(ofCampaigns.length > 0
      ? [
          updateMarked(platform, {
            from: sql`json_each(${JSON.stringify(ofCampaigns.map(keyOf))}) r CROSS JOIN emails e`,
            where,
          }),
        ]
      : []),
    ...(events.length > 0 ? [insertEmailEvents(platform, { items: JSON.stringify(events), where })] : []),
    ...(unsent.length > 0 ? [updateUsageOfUnsent(JSON.stringify(unsent.map(keyOf)), where)] : []),
    statement(
      sql`UPDATE emails AS e SET status = r.value->>'status', error = ${unlessErased(error)},
          provider_message_id = coalesce(r.value->>'providerMessageId', provider_message_id),
          sent_at = coalesce(r.value->>'sentAt', sent_at), uncertain_since = r.value->>'uncertainSince',
          attempts = attempts - (r.value->>'isUntried' AND handed_at IS NOT NULL), next_attempt_at = r.value->>'retryAt', due_at = r.value->>'dueAt', handed_at = NULL,
          ended_at = r.value->>'endedAt', look_up_at = CASE WHEN r.value->>'status' = 'UNKNOWN' THEN look_up_at END,
          settled_by = CASE WHEN r.value->>'status' <> 'UNKNOWN' THEN coalesce(r.value->>'settledBy', settled_by) END,
          round = CASE WHEN r.value->>'status' IN ('QUEUED', 'UNKNOWN') THEN round END
        FROM json_each(${items}) r
        WHERE ${where}`,
    ),
  ];
}

/** Whether an email with this outcome no longer counts toward its month's quota. */
function isUnsent({ status }: Pick<MailOutcome, "status">): boolean {
  return status === "FAILED" || status === "SUPPRESSED" || status === "CANCELLED";
}

/**
 * Drops a provider's text for erased contacts, because it may contain the recipient's address. Only emails of erased
 * contacts have an empty address.
 */
function unlessErased(error: SQL): SQL {
  return sql`CASE WHEN e.to_email <> '' OR r.value->>'status' = 'CANCELLED' THEN ${error} END`;
}

/**
 * Returns the email's key, and the other fields of an item that conditions use. SQLite parses each item in each
 * statement, so unused fields and nulls are left out.
 */
function keyOf({ projectId, emailId, round, type, topicId }: WrittenResult) {
  return { projectId, emailId, round: round ?? undefined, type, topicId: topicId ?? undefined };
}

function itemOf(result: WrittenResult, at: number) {
  const { status, error, retryAt, providerMessageId, uncertainSince, isUntried, settledBy } = result;
  return {
    ...keyOf(result),
    status,
    error: error ?? undefined,
    providerMessageId: providerMessageId ?? undefined,
    uncertainSince: uncertainSince ?? undefined,
    isUntried,
    settledBy,
    retryAt: retryAt ?? undefined,
    dueAt: retryAt === null ? undefined : retryAt + announceGraceMs,
    sentAt: status === "SENT" ? at : undefined,
    endedAt: status === "SENT" || status === "QUEUED" ? undefined : at,
  };
}

function eventsOf(result: WrittenResult) {
  const { status, error } = result;
  if (status !== "SENT" && status !== "FAILED") return [];
  const sent = { event: "email.sent", eventData: {} };
  return [
    { ...keyOf(result), ...(status === "SENT" ? sent : { event: "email.failed", eventData: { reason: error } }) },
  ];
}
