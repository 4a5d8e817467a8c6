import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Id, publicId, publicIdOrNull, textOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { EmailSource } from "../../core/mail/status";
import { type Page, readCursor, writeCursor } from "../../core/page";
import { iso } from "../../core/time";
import { openBatch } from "../../db/batch";
import { maxRowsPerStatement } from "../../db/limits";
import { asId, asNumber, asOneOf, asText, columns, orNull, type RowReader } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import { emailEventData } from "../../engine/events/email-data";
import { type Context, clockOf } from "../../platform/context";

/** An upcoming entry. Entries come from three tables, each with an index by time. */
interface Upcoming {
  id: Id;
  type: "campaign.scheduled" | "email.scheduled" | "workflow.waiting";
  at: number;
  contactId: Id | null;
  contactEmail: string | null;
  metadata: JsonObject;
}

/** A position in the list: a time, and an id to order entries with the same time. */
const ByTime = z.tuple([z.number(), z.string()]);

/** The maximum number of rows that one statement counts, or looks through for a page. */
const maxCounted = maxRowsPerStatement;

/**
 * `GET /activity/upcoming`: lists scheduled work, of one contact or of all, soonest first. A page starts after a time and an id, so entries that
 * are scheduled or cancelled meanwhile neither repeat nor hide others. Throws BadRequest on a cursor of another list.
 */
export async function listUpcoming(
  ctx: Context,
  { cursor, limit, contactId = null }: { cursor?: string; limit: number; contactId?: Id | null },
): Promise<Page<ReturnType<typeof upcomingJson>>> {
  const filters = contactId === null ? {} : { contact: textOf(contactId) };
  const cursorValue = readCursor(cursor, ByTime, filters);
  // The first page starts at the present. Later pages do not apply the present again: an entry that becomes due
  // meanwhile stays listed until it happens.
  const after = cursorValue ?? [ctx.now.getTime(), "~"];
  const batch = openBatch(ctx);
  // The audience of a campaign is decided when it starts.
  const asked = contactId === null ? sources : [emails, executions];
  const pages = asked.map((source) => batch.add(source.select(source.rows(ctx, contactId), after, limit + 1)));
  const hiding = asked.map(({ rows }) => rows(ctx, contactId)).filter(({ isShown }) => isShown !== undefined);
  const ends = hiding.map((rows) => batch.add(selectEnd(rows, after, limit)));
  const counts = cursorValue ? [] : asked.map(({ rows }) => batch.add(countAfter(rows(ctx, contactId), after)));
  await batch.commit();
  const [end] = ends.flatMap(({ all }) => all);
  const found = pages.flatMap(({ all }) => all).filter((one) => end === undefined || compare(one, end) <= 0);
  const sorted = found.toSorted(compare);
  const shown = sorted.slice(0, limit);
  const edge = sorted.length > limit ? shown.at(-1) : end;
  const total = counts.reduce((sum, { one }) => sum + one.count, 0);
  return {
    data: shown.map(upcomingJson),
    cursor: edge ? writeCursor([edge.at, textOf(edge.id)], filters) : "",
    hasMore: edge !== undefined,
    total,
    ...(counts.some(({ one }) => one.seen === maxCounted)
      ? { approximate: true as const, countedAt: ctx.now.toISOString() }
      : {}),
  };
}

function compare(a: { at: number; id: Id }, b: { at: number; id: Id }): number {
  if (a.at !== b.at || a.id === b.id) return a.at - b.at;
  return textOf(a.id) < textOf(b.id) ? -1 : 1;
}

function upcomingJson({ id, type, at, contactId, contactEmail, metadata }: Upcoming) {
  return {
    id: publicId(id),
    type,
    timestamp: iso(at),
    contactId: publicIdOrNull(contactId),
    contactEmail,
    metadata,
  };
}

type UpcomingCursor = z.infer<typeof ByTime>;

interface UpcomingSource {
  /** Returns the upcoming rows `s` with their time `at`, of one contact or of all: a FROM and a WHERE clause. */
  rows(ctx: Context, contactId: Id | null): SourceRows;
  select(rows: SourceRows, after: UpcomingCursor, limit: number): Statement<Upcoming>;
}

interface SourceRows {
  from: SQL;
  at: SQL;
  where: SQL;
  /** Rows of the index that are not shown. A statement looks through a limited number of rows. */
  isShown?: SQL;
}

function isAfter({ at }: SourceRows, [time, id]: UpcomingCursor): SQL {
  return sql`(${at}, s.id) > (${time}, ${id})`;
}

function countAfter(rows: SourceRows, after: UpcomingCursor): Statement<{ count: number; seen: number }> {
  return statement(
    sql`SELECT coalesce(sum(is_shown), 0) AS count, count(*) AS seen FROM (
      SELECT ${rows.isShown ?? sql`1`} AS is_shown FROM ${rows.from}
      WHERE ${rows.where} AND ${isAfter(rows, after)} LIMIT ${maxCounted})`,
    columns({ count: asNumber, seen: asNumber }),
  );
}

function nextRows(rows: SourceRows, after: UpcomingCursor, limit: number): SQL {
  const { from, at, where, isShown } = rows;
  const first = (count: number) => sql`SELECT s.*, ${at} AS at FROM ${from} WHERE ${where} AND ${isAfter(rows, after)}
    ORDER BY ${at}, s.id LIMIT ${count}`;
  return isShown ? sql`SELECT * FROM (${first(maxCounted)}) s WHERE ${isShown} LIMIT ${limit}` : first(limit);
}

/** Selects the last row that a page has looked through, if that was as far as it may look, and not as far as it needs to. */
function selectEnd(rows: SourceRows, after: UpcomingCursor, limit: number): Statement<{ at: number; id: Id }> {
  const { from, at, where } = rows;
  const isShort = sql`(SELECT count(*) FROM (${nextRows(rows, after, limit + 1)})) <= ${limit}`;
  return statement(
    sql`SELECT ${at} AS at, s.id FROM ${from} WHERE ${where} AND ${isAfter(rows, after)}
      ORDER BY ${at}, s.id LIMIT ${isShort} OFFSET ${maxCounted - 1}`,
    columns({ at: asNumber, id: asId }),
  );
}

/** Selects the next rows of a source. The columns of other tables are joined for these rows only. */
function selectNext(
  rows: SourceRows,
  {
    after,
    limit,
    more,
    read,
  }: { after: UpcomingCursor; limit: number; more: { columns: SQL; joins: SQL }; read: RowReader<Upcoming> },
): Statement<Upcoming> {
  const next = nextRows(rows, after, limit);
  return statement(sql`SELECT s.id, s.at, ${more.columns} FROM (${next}) s ${more.joins} ORDER BY s.at, s.id`, read);
}

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

/** The newest emails of a contact that were sent by calls: campaigns schedule none. Their index has no time. */
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

/** The executions of a contact, those of the newest workflows first, as their index has them. */
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
      // The index also has executions that run, for a minute each.
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

const sources: readonly UpcomingSource[] = [campaigns, emails, executions];
