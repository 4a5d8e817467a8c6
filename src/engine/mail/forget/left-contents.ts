import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import { asId, asNumber, asText, columns, orNull } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
import { attachmentKeys } from "../attachments";

// The emails of a call share one content row. The row is emptied when the last of these emails becomes old or is
// erased. Its own files are deleted then, but not those of a template. The order is: `updateRecipients`, the change of
// the emails and `updateLeftContents` in one batch; then the deletion of the files; then `updateFiles`. After a crash
// in between, the names of the files are still stored, so a second run finds the files.

/**
 * Subtracts emails `e` from the recipient counts of their contents. Must run before the emails change. Emails that are
 * already erased or forgotten are left out, so a repeat subtracts nothing twice.
 */
export function updateRecipients({ from = sql`emails e`, where }: { from?: SQL; where: SQL }): Statement {
  return statement(
    sql`UPDATE email_contents AS content SET recipients = recipients - gone.emails
      FROM (SELECT e.project_id, e.content_id, count(*) AS emails FROM ${from}
        WHERE ${where} AND e.to_email <> '' AND NOT e.is_forgotten GROUP BY e.project_id, e.content_id) gone
      WHERE content.project_id = gone.project_id AND content.id = gone.content_id`,
  );
}

/**
 * Empties contents that have no recipients left. `contents` is a SELECT of their `project_id, content_id`. The sender
 * stays, so that records still name it. The subject of old mail stays too. For erased contacts the subject is removed,
 * and so is `reply_to`, which may be the person's own address. The names of files stay until the files are deleted.
 */
export function updateLeftContents(contents: SQL, { isErased }: { isErased: boolean }): Statement {
  const also = isErased ? sql`subject = '', reply_to = NULL, ` : sql``;
  const isFull = isErased ? sql`subject <> '' OR reply_to IS NOT NULL OR ` : sql``;
  return statement(
    sql`UPDATE email_contents AS content SET ${also}preview_text = NULL, body = NULL, headers = '{}', own_data = '{}',
        body_key = CASE WHEN ${isOwnFile} THEN body_key END, template_version_id = NULL
      WHERE ${isLeft(contents)} AND (${isFull}body IS NOT NULL OR preview_text IS NOT NULL
        OR template_version_id IS NOT NULL OR headers <> '{}' OR own_data <> '{}' OR (body_key IS NOT NULL AND NOT ${isOwnFile}))`,
  );
}

const readFiles = columns({ projectId: asNumber, id: asId, bodyKey: orNull(asText), attachments: asNumber });

/**
 * A content row with files: a file with its own body, attachments, or both. `attachments` is the number of attachments.
 */
export type ContentWithFiles = ReturnType<typeof readFiles>;

/** Selects the contents that have no recipients left but still have files. */
export function selectLeftFiles(contents: SQL): Statement<ContentWithFiles> {
  return statement(
    sql`SELECT content.project_id, content.id, content.body_key, json_array_length(content.attachments) AS attachments
      FROM email_contents content
      WHERE ${isLeft(contents)} AND (content.attachments <> '[]' OR content.body_key IS NOT NULL)`,
    readFiles,
  );
}

/** Returns the keys of a content's files. `project` is the public id. */
export function filesOf(project: string, { id, bodyKey, attachments }: ContentWithFiles): string[] {
  const files = attachmentKeys({ project: { id: project } }, id, attachments);
  return bodyKey === null ? files : [...files, bodyKey];
}

/** Clears the names of deleted files. */
export function updateFiles(contents: { projectId: number; id: Id }[]): Statement {
  const items = JSON.stringify(contents.map(({ projectId, id }) => [projectId, id]));
  return statement(
    sql`UPDATE email_contents AS content SET attachments = '[]', body_key = NULL FROM json_each(${items}) r
      WHERE content.project_id = r.value->>0 AND content.id = r.value->>1 AND content.recipients <= 0`,
  );
}

/** Matches contents without recipients. The content of a campaign with a run may still get some. */
function isLeft(contents: SQL): SQL {
  return sql`(content.project_id, content.id) IN (${contents}) AND content.recipients <= 0
    AND NOT EXISTS (SELECT 1 FROM campaign_runs run
      WHERE run.project_id = content.project_id AND run.id = content.campaign_id)`;
}

/**
 * Matches when the body's file belongs to the content. Otherwise it belongs to a template or a campaign, whose emails
 * share it.
 */
const isOwnFile = sql`(substr(content.body_key, 1, 8) = 'content/' AND substr(content.body_key, -22) = content.id)`;
