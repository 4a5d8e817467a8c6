import { type SQL, sql } from "drizzle-orm";
import { type Id, publicId, publicIdOrNull } from "../../core/ids";
import type { EmailSource } from "../../core/mail/status";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, asOneOf, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { emailEventData } from "../../engine/events/email-data";
import { type Context, clockOf } from "../../platform/context";
import { selectNext, type UpcomingSource } from "./upcoming-rows";

const readCampaign = columns({
  id: asId,
  at: asNumber,
  name: asText,
  subject: asText,
  audienceType: asText,
});

const campaigns: UpcomingSource = {
  rows: (ctx) => ({
    from: sql`campaigns s INDEXED BY ix_campaigns_scheduled`,
    at: sql`s.scheduled_for`,
    where: sql`${inProject(ctx, "s")} AND s.status = 'SCHEDULED' AND s.scheduled_for IS NOT NULL`,
  }),
  select: (rows, after, limit) =>
    selectNext(rows, {
      after,
      limit,
      more: { columns: sql`s.name, s.subject, s.audience_type`, joins: sql`` },
      read: (raw) => {
        const { id, at, ...campaign } = readCampaign(raw);
        const metadata = { campaignId: publicId(id), ...campaign };
        return { id, type: "campaign.scheduled", at, contactId: null, contactEmail: null, metadata };
      },
    }),
};

const joinContact = sql`LEFT JOIN contacts c ON c.project_id = s.project_id AND c.id = s.contact_id`;

const readEmail = columns({
  id: asId,
  at: asNumber,
  contactId: asId,
  contactEmail: orNull(asText),
  subject: orNull(asText),
  templateId: orNull(asId),
  campaignId: orNull(asId),
  source: asOneOf<EmailSource>(),
});

/**
 * Selects a contact's newest emails, without those of campaigns, which are never scheduled one by one. They are
 * selected by age, because the index by contact does not contain the scheduled time.
 */
function newestEmails(ctx: Context, contactId: Id): SQL {
  return sql`(SELECT * FROM emails INDEXED BY ux_emails_contact
    WHERE ${inProject(ctx)} AND contact_id = ${contactId} AND campaign_id IS NULL
    ORDER BY id DESC LIMIT ${maxRowsPerStatement}) s`;
}

const emails: UpcomingSource = {
  rows: (ctx, contactId) => ({
    from: contactId === null ? sql`emails s INDEXED BY ix_emails_scheduled` : newestEmails(ctx, contactId),
    at: sql`s.scheduled_at`,
    where: sql`${inProject(ctx, "s")} AND s.status = 'QUEUED' AND s.scheduled_at IS NOT NULL`,
  }),
  select: (rows, after, limit) =>
    selectNext(rows, {
      after,
      limit,
      more: {
        columns: sql`s.contact_id, c.email AS contact_email, coalesce(s.subject, content.subject) AS subject,
          content.template_id, s.campaign_id, s.source`,
        joins: sql`${joinContact}
          LEFT JOIN email_contents content ON content.project_id = s.project_id AND content.id = s.content_id`,
      },
      read: (raw) => {
        const { id, at, contactId, contactEmail, ...email } = readEmail(raw);
        const metadata = emailEventData({}, { emailId: id, ...email });
        return { id, type: "email.scheduled", at, contactId, contactEmail, metadata };
      },
    }),
};

const readExecution = columns({
  id: asId,
  at: asNumber,
  contactId: asId,
  contactEmail: orNull(asText),
  workflowId: asId,
  workflowName: orNull(asText),
  currentStepId: orNull(asId),
  stepName: orNull(asText),
  stepType: orNull(asText),
});

/** Selects a contact's executions in the order of the index by contact: from the newest workflow to the oldest. */
function newestExecutions(ctx: Context, contactId: Id): SQL {
  return sql`(SELECT * FROM workflow_executions INDEXED BY ix_workflow_executions_contact
    WHERE ${inProject(ctx)} AND contact_id = ${contactId}
    ORDER BY workflow_id DESC, id DESC LIMIT ${maxRowsPerStatement}) s`;
}

const executions: UpcomingSource = {
  rows: (ctx, contactId) => {
    const where = sql`s.clock = ${clockOf(ctx)} AND ${inProject(ctx, "s")} AND s.wake_at IS NOT NULL`;
    const isShown = sql`s.status = 'WAITING'`;
    const rows = { at: sql`s.wake_at`, where };
    if (contactId === null) {
      // The index also contains running executions, so `isShown` leaves them out.
      return { ...rows, from: sql`workflow_executions s INDEXED BY ix_workflow_executions_wake`, isShown };
    }
    return { ...rows, from: newestExecutions(ctx, contactId), where: sql`${where} AND ${isShown}` };
  },
  select: (rows, after, limit) =>
    selectNext(rows, {
      after,
      limit,
      more: {
        columns: sql`s.contact_id, c.email AS contact_email, s.workflow_id, w.name AS workflow_name, s.current_step_id,
          step.name AS step_name, step.type AS step_type`,
        joins: sql`${joinContact}
          LEFT JOIN workflows w ON w.project_id = s.project_id AND w.id = s.workflow_id
          LEFT JOIN workflow_steps step ON step.project_id = s.project_id AND step.workflow_id = s.workflow_id
            AND step.id = s.current_step_id`,
      },
      read: (raw) => {
        const { id, at, contactId, contactEmail, workflowId, currentStepId, ...names } = readExecution(raw);
        const ids = {
          executionId: publicId(id),
          workflowId: publicId(workflowId),
          stepId: publicIdOrNull(currentStepId),
        };
        return { id, type: "workflow.waiting", at, contactId, contactEmail, metadata: { ...ids, ...names } };
      },
    }),
};

/**
 * Returns the sources from which a list is made. The list of a single contact has no campaigns, because the audience of
 * a campaign is only decided when it starts.
 */
export function sourcesOf(contactId: Id | null): readonly UpcomingSource[] {
  return contactId === null ? [campaigns, emails, executions] : [emails, executions];
}
