import { type SQL, sql } from "drizzle-orm";
import { hourMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { isBackedUp } from "../../db/open-copies";
import { asNumber, asText, columns, orNull } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { sweepAtHome } from "../../platform/sweep-at-home";

/**
 * The time that a call has to store its reference to a version, or to the version's file, after it has read the
 * version.
 */
export const versionGraceMs = hourMs;

/** A version that is still referenced is checked again after this time. */
const askAgainMs = 6 * hourMs;

/**
 * Sweeps all projects for versions that are no longer current in their templates. A version without references is
 * deleted, and then its file. A crash in between leaves a file without a row, which `forgetOrphans` removes.
 */
export function forgetVersions(platform: Platform): Promise<void> {
  const rows = sql`FROM template_versions INDEXED BY ix_template_versions_check WHERE check_at <= ${platform.now.getTime()}`;
  const due = { rows, order: ["check_at", "rowid"], key: ["project_id", "id"] };
  return sweepAtHome(platform, due, (db, found) => forgetSome(platform, db, found));
}

async function forgetSome(platform: Platform, db: Db, rows: SQL): Promise<number> {
  const now = platform.now.getTime();
  const due = sql`(v.project_id, v.id) IN (${rows})`;
  const batch = openBatch(platform, db);
  const referenced = batch.add(
    statement(
      sql`UPDATE template_versions AS v SET check_at = ${now + askAgainMs} WHERE ${due} AND ${isReferenced} RETURNING 1 AS referenced`,
      columns({ referenced: asNumber }),
    ),
  );
  const deleted = batch.add(
    statement(
      sql`DELETE FROM template_versions AS v WHERE ${due} AND NOT ${isReferenced} RETURNING id, body_key`,
      columns({ id: asText, bodyKey: orNull(asText) }),
    ),
  );
  await batch.commit();
  await platform.blobs.delete(deleted.all.flatMap(({ id, bodyKey }) => (bodyKey?.endsWith(id) ? bodyKey : [])));
  return referenced.count + deleted.count;
}

/** Whether the file of the version `v` is named after it, which makes `v` the file's first owner. */
const hasFile: SQL = sql`(substr(v.body_key, -length(v.id)) IS v.id)`;

/**
 * Whether a template, stored mail or a template in the trash references the version `v`, or anything other than `v`
 * references the file of `v`. A template in the trash keeps all its versions, and so does a backup that is being made.
 */
const isReferenced: SQL = sql`(
  EXISTS (SELECT 1 FROM templates t WHERE t.project_id = v.project_id AND t.id = v.template_id AND t.version_id = v.id)
  OR EXISTS (SELECT 1 FROM trash b WHERE b.project_id = v.project_id AND b.type = 'template' AND b.id = v.template_id)
  OR ${isBackedUp(sql`v.project_id`)}
  OR EXISTS (SELECT 1 FROM email_contents c INDEXED BY ix_email_contents_version
    WHERE c.project_id = v.project_id AND c.template_version_id = v.id)
  OR (${hasFile} AND (
    EXISTS (SELECT 1 FROM template_versions w INDEXED BY ix_template_versions_body
      WHERE w.project_id = v.project_id AND w.body_key = v.body_key AND w.id <> v.id)
    OR EXISTS (SELECT 1 FROM email_contents c INDEXED BY ix_email_contents_body
      WHERE c.project_id = v.project_id AND c.body_key = v.body_key)
    OR EXISTS (SELECT 1 FROM campaigns k INDEXED BY ix_campaigns_body
      WHERE k.project_id = v.project_id AND k.body_key = v.body_key)
    OR EXISTS (SELECT 1 FROM trash b INDEXED BY ix_trash_body
      WHERE b.project_id = v.project_id AND b.body_key = v.body_key))))`;
