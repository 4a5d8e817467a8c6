import { type SQL, sql } from "drizzle-orm";
import { newId } from "../../core/ids";
import type { JobType } from "../../core/messages";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asId, asNumber, asOneOf, columns } from "../../db/rows";
import { type Statement, select, statement } from "../../db/statement";
import type { TrashRow } from "../../db/tables";
import { upsertJobs } from "../../engine/jobs/queue-job";
import { deleteLedgers } from "../../engine/recipients/run-row";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { maxSweptRows } from "../../platform/sweep";
import { sweepAtHome } from "../../platform/sweep-at-home";

/**
 * The maximum number of entries that one batch purges. A campaign can have thousands of pages, which the batch deletes
 * too.
 */
const entriesPerBatch = 10;

/**
 * Sweeps all projects for entries of the trash that have ended. Deletes each of them for good, together with the rows
 * that stayed for it, or starts the job that deletes them. If another call restores an entry first, its rows stay.
 */
export function purgeTrash(platform: Platform): Promise<void> {
  const due = { rows: ended(platform), order: ["purge_at", "rowid"], key: ["project_id", "type", "id"] };
  return sweepAtHome(platform, due, (db, found) => purgeSome(platform, db, found), entriesPerBatch);
}

/** Whether the sweep has something to do. */
export const hasEndedEntries: IsDue = (platform) => exists(ended(platform));

function ended({ now }: Platform): SQL {
  return sql`FROM trash INDEXED BY ix_trash_purge WHERE purge_at <= ${now.getTime()}`;
}

const readKey = columns({ projectId: asNumber, type: asOneOf<TrashRow["type"]>(), id: asId });

async function purgeSome(platform: Platform, db: Db, rows: SQL): Promise<number> {
  const found = await select(db, rows, readKey);
  if (found.length === 0) return 0;
  const keys = JSON.stringify(found.map(({ projectId, type, id }) => ({ projectId, type, id, jobId: newId() })));
  // Selects those of the found entries that are still due when the batch runs.
  const due = (type: TrashRow["type"]) =>
    sql`json_each(${keys}) r CROSS JOIN trash b ON b.project_id = r.value->>'projectId' AND b.type = r.value->>'type'
      AND b.id = r.value->>'id' WHERE b.type = ${type} AND b.purge_at <= ${platform.now.getTime()}`;
  const batch = openBatch(platform, db);
  batch.add(updateUnneeded(platform, due("template")));
  const jobs = [
    [
      "segments.delete-members",
      batch.add(insertJobs(platform, "segments.delete-members", "segmentId", due("segment"))),
    ],
    ["workflows.forget", batch.add(insertJobs(platform, "workflows.forget", "workflowId", due("workflow")))],
  ] as const;
  batch.add(deleteCounts(due("workflow")));
  batch.add(
    statement(
      sql`DELETE FROM trash WHERE (project_id, type, id) IN (
          SELECT r.value->>'projectId', r.value->>'type', r.value->>'id' FROM json_each(${keys}) r)
        AND purge_at <= ${platform.now.getTime()}`,
    ),
  );
  // Must come after the deletion of the entries, because it spares campaigns that are in the trash or were restored.
  batch.addAll(deleteLedgers(JSON.stringify(found.filter(({ type }) => type === "campaign"))));
  await batch.commit();
  await platform.enqueue(
    jobs.flatMap(([type, started]) =>
      started.all.map(({ id, projectId }) => ({ message: { type, projectId, jobId: id } })),
    ),
  );
  // Asks for another turn after a full batch, because there may be more entries.
  return found.length === entriesPerBatch ? maxSweptRows : found.length;
}

/**
 * Makes the sweep for unused versions check the current version of each template. The sweep checks earlier versions
 * anyway.
 */
function updateUnneeded(platform: Platform, due: SQL): Statement {
  return statement(
    sql`UPDATE template_versions SET check_at = ${platform.realClock().getTime()}
      WHERE (project_id, id) IN (SELECT b.project_id, b.content->>'$.templates[0].version_id' FROM ${due})`,
  );
}

function insertJobs(platform: Platform, type: JobType, input: string, due: SQL) {
  return upsertJobs(type, platform.realClock(), {
    projectId: sql`b.project_id`,
    id: sql`r.value->>'jobId'`,
    input: sql`json_object(${input}, b.id)`,
    from: sql`FROM ${due}`,
  });
}

function deleteCounts(due: SQL): Statement {
  return statement(
    sql`DELETE FROM execution_counts WHERE (project_id, workflow_id) IN (SELECT b.project_id, b.id FROM ${due})`,
  );
}
