import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { AttachmentRow } from "../../../core/mail/attachments";
import type { ContentChange } from "../../../core/mail/content-fields";
import { type EmailType, emailTypes } from "../../../core/mail/status";
import { isTypeTracked } from "../../../core/tracking/mode";
import { contentOver } from "../../../db/content-columns";
import { insertSelected, type SelectedRow } from "../../../db/insert-selected";
import { asId, asOneOf, columns } from "../../../db/rows";
import { inProject, type Owner } from "../../../db/scope";
import { domainInSql, verifiedDomain } from "../../../db/sender-domain";
import { type Statement, statement } from "../../../db/statement";
import { emailContents } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import type { StoredBody } from "../body";
import { linkBase } from "../links";

/** The columns of a new content row. Some values can be SQL expressions. */
export type NewContent = SelectedRow<typeof emailContents> & { id: Id };

/**
 * Inserts a content row for each row of `from`, or a single one if `from` is absent. All content rows are inserted by
 * this statement, whatever the source of their mail.
 */
export function insertContent(owner: Owner, row: NewContent, from?: SQL): Statement<{ id: Id; type: EmailType }> {
  return statement(
    sql`${insertSelected(emailContents, row, from)}
      RETURNING id, type`,
    columns({ id: asId, type: asOneOf<EmailType>() }),
    { again: sql`SELECT id, type FROM email_contents WHERE ${inProject(owner)} AND id = ${row.id}` },
  );
}

/** The parts of an email's content that a call or a workflow step sets. The template provides the other parts. */
export interface ContentInput extends ContentChange {
  id: Id;
  templateId: Id | null;
  body?: StoredBody | undefined;
  headers?: Record<string, string> | undefined;
  attachments?: AttachmentRow[];
  /**
   * The size of `body` and `attachments` in bytes. Without `body`, the statement adds the size of the template's body,
   * unless that body is in R2.
   */
  size?: number;
  ownData?: JsonObject;
  /** False when the mail must not be tracked, even if the project tracks mail. */
  mayTrack?: boolean;
  /**
   * The number of emails with this content. An SQL expression can use the template as `template` and its version as
   * `v`.
   */
  recipients: number | SQL;
  /** A condition on the version `v` and its `template`. Nothing is written unless the condition holds. */
  onlyIf?: SQL;
  /**
   * Set only for double opt-in mail, which is always TRANSACTIONAL. The content is written only if this condition
   * holds.
   */
  confirmsIf?: SQL;
}

/**
 * Inserts the content of a call or a step, if its template exists and its sender domain is verified. The batch writes
 * its other rows only if this row was inserted.
 */
export function insertContentOf(ctx: Context, content: ContentInput): Statement<{ id: Id; type: EmailType }> {
  const { id, templateId, body, recipients, onlyIf, confirmsIf } = content;
  const { headers = {}, attachments = [], size = 0, ownData = {}, mayTrack = true } = content;
  const said = contentOver("v", content);
  const conditions = [sql`EXISTS (${verifiedDomain(ctx, domainInSql(said.fromEmail))})`, confirmsIf, onlyIf];
  const row: NewContent = {
    projectId: ctx.project.number,
    id,
    ...said,
    fromName: sql`coalesce(${said.fromName}, ${ctx.project.fromName || null})`,
    body: body?.body ?? null,
    bodyKey: body ? body.bodyKey : sql`v.body_key`,
    headers,
    attachments,
    size: body ? size : sql`${size} + coalesce(octet_length(v.body), 0)`,
    ownData,
    type: confirmsIf ? "TRANSACTIONAL" : sql`coalesce(v.type, 'TRANSACTIONAL')`,
    isConfirmation: confirmsIf !== undefined,
    // Double opt-in mail has no topic, because a contact that left the topic must still be able to confirm.
    topicId: templateId === null || confirmsIf ? null : sql`template.topic_id`,
    templateId: sql`v.template_id`,
    templateVersionId: sql`v.id`,
    linkBase: linkBase(ctx),
    isTracked: mayTrack ? isTracked(ctx) : false,
    recipients,
    createdAt: ctx.now.getTime(),
  };
  const isAllowed = sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` AND `,
  );
  return insertContent(ctx, row, sql`${contentSource(ctx, templateId)} WHERE ${isAllowed}`);
}

/**
 * Returns a condition that holds when the project tracks mail of the content's type. The condition is SQL, because the
 * template may decide the type.
 */
function isTracked({ project }: Context): SQL {
  const tracked = JSON.stringify(emailTypes.filter((type) => isTypeTracked(project.tracking, type)));
  return sql`coalesce(v.type, 'TRANSACTIONAL') IN (SELECT value FROM json_each(${tracked}))`;
}

/**
 * Returns what to select from: the current version `v` of the template or, without a template, a single row with NULL
 * in all columns.
 */
export function contentSource(ctx: Context, templateId: Id | null): SQL {
  // `v.id = NULL` matches no row. A condition without a key, such as `false`, would make SQLite read all versions of
  // all projects.
  if (templateId === null)
    return sql`(SELECT 1) LEFT JOIN template_versions v ON ${inProject(ctx, "v")} AND v.id = NULL`;
  return sql`templates template JOIN template_versions v ON ${inProject(ctx, "template")}
    AND template.id = ${templateId} AND v.project_id = template.project_id AND v.id = template.version_id`;
}
