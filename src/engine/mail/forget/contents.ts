import { type SQL, sql } from "drizzle-orm";
import { firstIdAt } from "../../../core/ids";
import { afterPage, type OldMail } from "../../../core/mail/old-mail";
import { isAtHome } from "../../../db/at-home";
import { openBatch } from "../../../db/batch";
import type { Db } from "../../../db/client";
import { asFlag, asId, asNumber, columns, orNull } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { openParts, readCursor, storeCursor } from "../../../platform/sweep";
import { whereaboutsByNumber } from "../../projects/whereabouts";
import {
  type ContentWithFiles,
  filesOf,
  selectLeftFiles,
  updateFiles,
  updateLeftContents,
  updateRecipients,
} from "./left-contents";

/** The maximum number of emails of one page. Each email is written once, and its content at most twice. */
const mailsPerPage = 1_000;
/**
 * The maximum number of pages of one tick, for all databases together. A page takes about ten statements, and one
 * invocation of the Worker may make a thousand.
 */
const pagesPerTick = 40;

/**
 * Sweeps all projects and forgets the content of old mail. The email's row, without the contact's data, and the email's
 * events are retained. Content that several emails share is deleted with the last of them, together with its files,
 * except a template's files.
 *
 * No column stores when an email will be old, because that would need an index entry for each email. Instead, the sweep
 * reads the emails of each project in the order of their ids, which is chronological, and stores its position for each
 * project. An email that is not ready, because it is scheduled or was just sent again, makes the project's next scan
 * start at that email.
 */
export async function forgetContents(platform: Platform): Promise<void> {
  const parts = openParts();
  const pages = Math.ceil(pagesPerTick / platform.databases.length);
  for (const [index, db] of platform.databases.entries()) {
    await parts.run(() => forgetIn(platform, db, `old-mail-${index}`, pages));
  }
  parts.end();
}

/** Continues at the project where the last tick stopped, so that every project is reached. */
async function forgetIn(platform: Platform, db: Db, sweep: string, pages: number): Promise<void> {
  let cursor: number | null = Number(await readCursor(platform, sweep));
  for (let page = 0; page < pages && cursor !== null; page++) cursor = await forgetPage(platform, db, cursor);
  await storeCursor(platform, sweep, String(cursor ?? 0));
}

const readMail = columns({ projectId: asNumber, id: asId, isReady: asFlag, after: asId, again: orNull(asId) });

/**
 * Forgets one page, and returns the project at which the next page begins; null at the end. The files are deleted
 * before their names are cleared, and the position moves last. After a crash in between, the next run therefore finds
 * the names again.
 */
async function forgetPage(platform: Platform, db: Db, from: number): Promise<number | null> {
  const endedBefore = platform.now.getTime() - platform.config.contentRetentionMs;
  const page = pageOf(from, endedBefore, mailsPerPage);
  const forgetting = openBatch(platform, db);
  const visited = forgetting.add(statement(pageOf(from, endedBefore, mailsPerPage + 1), readMail));
  const contentIds = sql`SELECT project_id, content_id FROM (${page})`;
  const emails = sql`(${page}) w CROSS JOIN emails e ON e.project_id = w.project_id AND e.id = w.id`;
  forgetting.add(updateRecipients({ from: emails, where: sql`w.is_ready` }));
  forgetting.add(updateForgotten(page));
  forgetting.add(updateLeftContents(contentIds, { isErased: false }));
  const contents = forgetting.add(selectLeftFiles(contentIds));
  await forgetting.commit();
  if (visited.count === 0) return null;
  await deleteFiles(platform, contents.all);
  const leaving = openBatch(platform, db);
  if (contents.count > 0) leaving.add(updateFiles(contents.all));
  const next = visited.all[mailsPerPage];
  leaving.add(updateCursors(visited.all.slice(0, mailsPerPage), next));
  await leaving.commit();
  return next?.projectId ?? null;
}

/**
 * Selects the next old emails `e` of all projects, in the order of their key. The id of an email shows its age, and
 * other columns show whether the email is ready.
 */
function pageOf(from: number, endedBefore: number, limit: number): SQL {
  return sql`SELECT e.project_id, e.id, e.content_id, ${isReady(endedBefore)} AS is_ready, p.old_mail_after AS after,
      p.old_mail_again AS again
    FROM project_counts p
    CROSS JOIN emails e ON e.project_id = p.project_id AND e.id > p.old_mail_after AND e.id < ${firstIdAt(endedBefore)}
    WHERE p.project_id >= ${from} AND ${isAtHome(sql`p.project_id`)} ORDER BY p.project_id, e.id LIMIT ${limit}`;
}

/** Matches an email that has been final for as long as contents are retained. */
function isReady(endedBefore: number): SQL {
  return sql`(e.status NOT IN ('QUEUED', 'SENDING') AND iif(e.ended_at IS NULL AND e.sent_at IS NULL,
    max(e.created_at, coalesce(e.scheduled_at, 0)), max(coalesce(e.ended_at, 0), coalesce(e.sent_at, 0))) <= ${endedBefore})`;
}

function updateForgotten(page: SQL): Statement {
  return statement(
    sql`UPDATE emails AS e SET is_forgotten = true, contact = NULL, own_data = NULL FROM (${page}) w
      WHERE w.is_ready AND e.project_id = w.project_id AND e.id = w.id AND NOT e.is_forgotten`,
  );
}

async function deleteFiles(platform: Platform, contents: ContentWithFiles[]): Promise<void> {
  const projects = await whereaboutsByNumber(
    platform,
    contents.map(({ projectId }) => projectId),
  );
  for (const content of contents) {
    const project = projects.get(content.projectId);
    // The files of a deleted project are deleted by its erasure.
    if (project) await platform.blobs.delete(filesOf(project.id, content));
  }
}

function updateCursors(mails: OldMail[], next: OldMail | undefined): Statement {
  const items = JSON.stringify(afterPage(mails, next));
  return statement(
    sql`UPDATE project_counts SET old_mail_after = r.value->>'after', old_mail_again = r.value->>'again'
      FROM json_each(${items}) r WHERE project_counts.project_id = r.value->>'projectId'`,
  );
}
