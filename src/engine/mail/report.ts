import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { movedBy, type Report } from "../../core/mail/status";
import { type Statement, statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { updateSubscription } from "../contacts/subscription";
import { insertEmailEvents } from "../events/email-events";

/**
 * The statements that apply a provider's report, all conditional on the email's status: a late or repeated report
 * changes nothing. A hard bounce or a complaint also unsubscribes the contact and suppresses the address. They share a
 * batch, in this order. `provider` must be the one that sent the email.
 */
export function updateReported(ctx: Context, emailId: Id, report: Report, provider: string): Statement[] {
  const now = ctx.clock().getTime();
  const { from, to } = movedBy[report.kind];
  const isMoved = sql`e.project_id = ${ctx.project.number} AND e.id = ${emailId} AND e.provider = ${provider}
    AND e.status IN (SELECT value FROM json_each(${JSON.stringify(from)}))`;
  const item = { emailId, projectId: ctx.project.number, event: `email.${report.kind}`, eventData: eventData(report) };
  const time = sql.raw(timeColumn[report.kind]);
  return [
    insertEmailEvents(ctx, { items: JSON.stringify([item]), where: isMoved }),
    ...(endsTrust(report)
      ? updateDistrusted(ctx, report.kind === "complained" ? "complaint" : "bounce", isMoved, now)
      : []),
    statement(
      sql`UPDATE emails AS e SET status = ${to}, ${time} = ${now}, sent_at = coalesce(sent_at, ${now}),
          due_at = NULL, error = CASE WHEN e.to_email <> '' THEN ${report.kind === "bounced" ? report.reason : null} END
        WHERE ${isMoved}`,
    ),
  ];
}

const timeColumn: Record<Report["kind"], string> = {
  delivered: "delivered_at",
  bounced: "bounced_at",
  complained: "complained_at",
};

function eventData(report: Report): Record<string, string> {
  return report.kind === "bounced" ? { bounceType: report.bounceType, reason: report.reason } : {};
}

/** A soft bounce may be temporary: a full mailbox still has an owner. */
function endsTrust(report: Report): boolean {
  return report.kind === "complained" || (report.kind === "bounced" && report.bounceType === "hard");
}

function updateDistrusted(ctx: Context, reason: "bounce" | "complaint", isMoved: SQL, now: number): Statement[] {
  // A bounce concerns an address, which the contact may have changed since; a complaint is made by the person.
  const isTheirs = reason === "bounce" ? sql`c.email = e.to_email` : sql`true`;
  const contactId = sql`(SELECT c.id FROM emails e
    CROSS JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id AND ${isTheirs}
    WHERE ${isMoved})`;
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
        SELECT e.project_id, e.to_email, ${reason}, ${now} FROM emails e WHERE ${isMoved} AND e.to_email <> ''
        ON CONFLICT DO NOTHING`,
    ),
  ];
}
