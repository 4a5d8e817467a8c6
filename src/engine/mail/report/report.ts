import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import {
  type EmailStatus,
  endsTrust,
  type Meaning,
  meaningOf,
  movedBy,
  type Report,
  type Settler,
} from "../../../core/mail/status";
import { inProject } from "../../../db/scope";
import { noRows, type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { updateMarked } from "../../campaigns/mark-pages";
import { updateSubscription } from "../../contacts/subscription";
import { countAdded } from "../../contacts/suppression-count";
import { insertEmailEvents } from "../../events/email-events";
import { insertBlock, updateBlock } from "./reputation";

/** An email about which a provider reports. `campaignId` is undefined when the caller does not know it. */
export interface Reported {
  emailId: Id;
  campaignId?: Id | null;
}

/**
 * Returns the statements that apply a provider's report, for one batch and in this order. They match only if the email
 * was handed over to `provider`. `noticeId` is the provider's own id of this report.
 *
 * A report moves the status only forward: see `movedBy`. Only a new report has an effect, and it records one event. A
 * hard bounce or a complaint is new once per email, whatever the status of the email. It unsubscribes the contact and
 * suppresses the address. A soft bounce is new once per notice, until the email has bounced. The column `reported`
 * stores the reports that had an effect, because a report that did not move the status would otherwise count as new
 * again.
 */
export function updateReported(
  ctx: Context,
  email: Reported,
  report: Report,
  provider: string,
  noticeId: string | null = null,
): Statement[] {
  const meaning = meaningOf(report);
  if (meaning === "delivered") return updateDelivered(ctx, [email], provider);
  const { emailId, campaignId } = email;
  const now = ctx.clock().getTime();
  const { from, to } = movedBy[meaning];
  const isMoved = isOneOf(from);
  const key = keyOf(meaning, noticeId);
  const isNews = sql`${inProject(ctx, "e")} AND e.id = ${emailId} AND e.provider = ${provider}
    AND (${isMoved}${orNewReport(meaning, key)})`;
  const item = { emailId, projectId: ctx.project.number, event: `email.${report.kind}`, eventData: eventData(report) };
  return [
    ...(campaignId === null ? [] : [updateMarked(ctx, { where: isNews })]),
    insertEmailEvents(ctx, { items: JSON.stringify([item]), where: isNews }),
    ...(endsTrust(meaning)
      ? updateDistrusted(ctx, meaning === "complained" ? "complaint" : "bounce", isNews, now)
      : []),
    statement(
      sql`UPDATE emails AS e SET status = iif(${isMoved}, ${to}, status),
          sent_at = iif(${isMoved}, coalesce(sent_at, ${now}), sent_at), due_at = iif(${isMoved}, NULL, due_at),
          error = CASE WHEN NOT ${isMoved} THEN error
            WHEN e.to_email <> '' THEN ${report.kind === "bounced" ? report.reason : null} END${setTime(meaning, isMoved, now)}${setReported(key)}
        WHERE ${isNews}`,
    ),
  ];
}

/**
 * Applies "delivered" reports of several emails at once: some providers report a delivery for every email that they
 * accept.
 */
export function updateDelivered(ctx: Context, emails: Reported[], provider: string): Statement[] {
  return updateDeliveredOf(ctx, emails, sql`e.provider = ${provider}`);
}

/** Applies "delivered" reports to the emails `e` that match `isMeant`. */
export function updateDeliveredOf(ctx: Context, emails: Reported[], isMeant: SQL): Statement[] {
  if (emails.length === 0) return [];
  const now = ctx.clock().getTime();
  const { from, to } = movedBy.delivered;
  const isNews = sql`${isMeant} AND ${isOneOf(from)}`;
  const event = { projectId: ctx.project.number, event: "email.delivered", eventData: {} };
  const items = JSON.stringify(emails.map(({ emailId }) => ({ ...event, emailId })));
  const isOfItem = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId' AND ${isNews}`;
  const ofCampaigns = emails.some(({ campaignId }) => campaignId !== null);
  return [
    ...(ofCampaigns
      ? [updateMarked(ctx, { from: sql`json_each(${items}) r CROSS JOIN emails e`, where: isOfItem })]
      : []),
    insertEmailEvents(ctx, { items, where: isNews }),
    statement(
      sql`UPDATE emails AS e SET status = ${to}, sent_at = coalesce(sent_at, ${now}), due_at = NULL, error = NULL,
          delivered_at = ${now}
        FROM json_each(${items}) r
        WHERE ${isOfItem}`,
    ),
  ];
}

/**
 * Returns the statements for emails that the provider must have accepted, because there is a report, an open or a
 * click. They record the acceptance if it is not recorded yet: the report may have been faster than the provider's
 * answer, or the answer may be lost. An answer that arrives later changes nothing. `isMeant` is a condition on the
 * email `e` that identifies the accepting provider.
 */
export function updateSent(
  ctx: Context,
  emailIds: Id[],
  { isMeant, providerMessageId = null }: { isMeant: SQL; providerMessageId?: string | null },
): Statement[] {
  if (emailIds.length === 0) return [];
  const now = ctx.clock().getTime();
  const isUnrecorded = sql`${isMeant} AND e.status IN ('QUEUED', 'SENDING', 'UNKNOWN')`;
  const event = { projectId: ctx.project.number, event: "email.sent", eventData: {} };
  const items = JSON.stringify(emailIds.map((emailId) => ({ ...event, emailId })));
  const isOfItem = sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId' AND ${isUnrecorded}`;
  return [
    updateMarked(ctx, { from: sql`json_each(${items}) r CROSS JOIN emails e`, where: isOfItem }),
    insertEmailEvents(ctx, { items, where: isUnrecorded }),
    insertBlock(ctx, now),
    statement(
      sql`UPDATE emails AS e SET status = 'SENT', error = NULL, sent_at = coalesce(sent_at, ${now}),
          provider_message_id = coalesce(provider_message_id, ${providerMessageId}), uncertain_since = NULL,
          round = NULL, handed_at = NULL, next_attempt_at = NULL, due_at = NULL, settled_by = ${settledBy("report")}
        FROM json_each(${items}) r WHERE ${isOfItem}`,
    ),
  ];
}

/**
 * Returns the new value of `settled_by` for an email whose status is about to change. The value changes only if the
 * outcome was unknown.
 */
export function settledBy(settler: Settler): SQL {
  return sql.raw(`iif(status = 'UNKNOWN', '${settler}', settled_by)`);
}

type Trouble = Exclude<Meaning, "delivered">;

/** Inlines the statuses, which are constants. */
function isOneOf(statuses: readonly EmailStatus[]): SQL {
  return sql.raw(`e.status IN (${statuses.map((status) => `'${status}'`).join(", ")})`);
}

/** Returns the key of a report in the column `reported` of its email. */
function keyOf(meaning: Trouble, noticeId: string | null): string {
  return endsTrust(meaning) ? meaning : `soft:${(noticeId ?? "").slice(0, maxKeyLength)}`;
}

const maxKeyLength = 100;
/** The maximum number of reports that are stored per email. Further soft bounces are ignored. */
const maxReports = 20;

function orNewReport(meaning: Trouble, key: string): SQL {
  const isNew = sql`NOT EXISTS (SELECT 1 FROM json_each(e.reported) r WHERE r.value = ${key})`;
  if (endsTrust(meaning)) return sql` OR ${isNew}`;
  return sql` OR (e.status <> 'BOUNCED' AND ${isNew} AND coalesce(json_array_length(e.reported), 0) < ${maxReports})`;
}

function setReported(key: string): SQL {
  return sql`, reported = json_insert(coalesce(reported, '[]'), '$[#]', ${key})`;
}

/**
 * Returns the assignment that stores the time of the report. The time of a soft bounce is stored only if it ends the
 * mail. For a hard bounce or a complaint, the first time is kept.
 */
function setTime(meaning: Trouble, isMoved: SQL, now: number): SQL {
  switch (meaning) {
    case "transient":
      return sql``;
    case "gave up":
      return sql`, bounced_at = iif(${isMoved}, ${now}, bounced_at)`;
    case "hard":
      return sql`, bounced_at = coalesce(bounced_at, ${now})`;
    case "complained":
      return sql`, complained_at = coalesce(complained_at, ${now})`;
  }
}

function eventData(report: Report): Record<string, string> {
  return report.kind === "bounced" ? { bounceType: report.bounceType, reason: report.reason } : {};
}

function updateDistrusted(ctx: Context, reason: "bounce" | "complaint", isNews: SQL, now: number): Statement[] {
  // A bounce concerns the address, and the contact may have another one by now. A complaint concerns the person, but
  // mail of workflows may go to an address that is not the contact's.
  const isTheirs =
    reason === "bounce" ? sql`c.email = e.to_email` : sql`(e.source <> 'WORKFLOW' OR c.email = e.to_email)`;
  const contactId = sql`(SELECT c.id FROM emails e
    CROSS JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id AND ${isTheirs}
    WHERE ${isNews})`;
  return [
    ...updateSubscription(ctx, {
      contactId,
      subscribed: false,
      eventData: { reason },
      isSaidBySelf: reason === "complaint",
      at: now,
    }),
    statement(
      sql`INSERT INTO suppressions (project_id, email, reason, created_at)
        SELECT e.project_id, e.to_email, ${reason}, ${now} FROM emails e WHERE ${isNews} AND e.to_email <> ''
        ON CONFLICT DO NOTHING`,
      noRows,
      {
        before: [
          countAdded(sql`SELECT e.project_id, e.to_email AS email FROM emails e WHERE ${isNews} AND e.to_email <> ''`),
        ],
      },
    ),
    updateBlock(ctx, { reason, isNews, at: now }),
  ];
}
