import { type SQL, sql } from "drizzle-orm";
import { firstIdAt } from "../../../core/ids";
import { afterPage, type OldMail } from "../../../core/mail/old-mail";
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

/** Emails of one page. Each is written once, and its content at most twice. */
const mailsPerPage = 1_000;
/** For all databases together: a page is some ten statements, and one call of the Worker may make a thousand. */
const pagesPerTick = 40;

/**
 * The sweep that forgets the content of old mail, over all projects: what is kept is the row of an email, without the
 * contact's data, and its events. The content that emails share goes with the last of them, and so do its files, but not
 * those of a template.
 *
 * Nothing says when an email will be old, because that would be an entry in an index for each. The sweep walks along
 * the emails of a project, whose ids have the order of time, and each project remembers where it is. An email that is
 * not ready holds the next round of its project back: it waits for its time, or a person has just sent it again.
 */
export async function forgetContents(platform: Platform): Promise<void> {
  const parts = openParts();
  const pages = Math.ceil(pagesPerTick / platform.databases.length);
  for (const [index, db] of platform.databases.entries()) {
    await parts.run(() => forgetIn(platform, db, `old-mail-${index}`, pages));
  }
  parts.end();
}

/** Goes on with the project after the one where the last tick ended, so that each has its turn. */
async function forgetIn(platform: Platform, db: Db, sweep: string, pages: number): Promise<void> {
  let cursor: number | null = Number(await readCursor(platform, sweep));
  for (let page = 0; page < pages && cursor !== null; page++) cursor = await forgetPage(platform, db, cursor);
  await storeCursor(platform, sweep, String(cursor ?? 0));
}

const readMail = columns({ projectId: asNumber, id: asId, isReady: asFlag, after: asId, again: orNull(asId) });

/**
 * Forgets one page, and returns the project at which the next one begins; null at the end. The files go before what
 * names them, and the page is only left behind after that: a run that is killed in between finds the names again.
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
  leaving.add(updatePlaces(visited.all.slice(0, mailsPerPage), next));
  await leaving.commit();
  return next?.projectId ?? null;
}

/**
 * The next old emails `e` of all projects, in the order of their key. Being old is no more than a bound of ids: whether
 * an email is ready, its row says.
 */
function pageOf(from: number, endedBefore: number, limit: number): SQL {
  return sql`SELECT e.project_id, e.id, e.content_id, ${isReady(endedBefore)} AS is_ready, p.old_mail_after AS after,
      p.old_mail_again AS again
    FROM project_counts p
    CROSS JOIN emails e ON e.project_id = p.project_id AND e.id > p.old_mail_after AND e.id < ${firstIdAt(endedBefore)}
    WHERE p.project_id >= ${from} ORDER BY p.project_id, e.id LIMIT ${limit}`;
}

/** An email that was final for as long as contents are kept. */
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
    // The erasure of a project removes its files itself.
    if (project) await platform.blobs.delete(filesOf(project.id, content));
  }
}

function updatePlaces(mails: OldMail[], next: OldMail | undefined): Statement {
  const items = JSON.stringify(afterPage(mails, next));
  return statement(
    sql`UPDATE project_counts SET old_mail_after = r.value->>'after', old_mail_again = r.value->>'again'
      FROM json_each(${items}) r WHERE project_counts.project_id = r.value->>'projectId'`,
  );
}
