import { sql } from "drizzle-orm";
import { z } from "zod";
import { Conflict, Invalid, NotFound } from "../../../core/errors";
import { type Id, newId, publicId, readId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { wholeRow } from "../../../db/rows";
import { selectFirst } from "../../../db/statement";
import { type BackupRow, backups, type JobRow, jobs } from "../../../db/tables";
import { folderOf, isFolder } from "../../../engine/backups/folder";
import type { Manifest } from "../../../engine/backups/manifest";
import { isCopy } from "../../../engine/backups/open-copies";
import { BadBackup } from "../../../engine/backups/restore/bad-backup";
import { openBackup, UnknownFormat } from "../../../engine/backups/restore/open-backup";
import { firstRestoreState, notesOfRestore } from "../../../engine/backups/restore/state";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import { linkBase } from "../../../engine/mail/links";
import { forProject, type Platform } from "../../../platform/context";
import { searchDatabases } from "../../../platform/search-databases";
import { insertProject } from "../create";
import type { RestoreBackup } from "./schema";

/** The settings of a backup that a restored project takes over. An older backup may lack some. */
const Settings = z
  .object({
    name: z.string(),
    fromName: z.string().nullable(),
    locale: z.string().nullable(),
    tracking: z.enum(["ENABLED", "DISABLED", "MARKETING_ONLY"]),
    monthlySendLimit: z.number().nullable(),
    sendRatePerSecond: z.number().nullable(),
    testClock: z.boolean(),
    clockAt: z.number().nullable(),
    publicKeyMayResubscribe: z.boolean(),
    publicAnswers: z.enum(["IDS", "NONE"]),
    company: z.string().nullable(),
    postalAddress: z.string().nullable(),
    publicTrackSubscribes: z.boolean(),
    confirmationTemplateId: z.string().nullable(),
    sendingPausedReason: z.string().nullable(),
    sendingPausedAt: z.number().nullable(),
    sendingCountedFrom: z.number().nullable(),
    maxStorageMb: z.number(),
    addressKey: z.string(),
  })
  .partial()
  .required({ name: true, addressKey: true });

const maxName = 100;

/**
 * Starts the restore of a backup into a new project, which is disabled. The job belongs to the new project. When this
 * call dies before it has inserted the job, a disabled project is left, which can only be deleted. Throws NotFound,
 * Conflict for a backup that is not complete, and Invalid for one that this version cannot read.
 */
export async function restoreBackup(platform: Platform, { backup, as }: RestoreBackup) {
  const folder = isFolder(backup) ? backup : folderOf(await findBackup(platform, readId(backup)));
  const { project: settings } = await readManifest(platform, folder);
  const found = Settings.safeParse(settings);
  if (!found.success) throw unreadable(`The settings in the manifest are damaged: ${z.prettifyError(found.error)}`);
  const jobId = newId();
  const { name, confirmationTemplateId, ...rest } = found.data;
  const { project, keys } = await insertProject(platform, {
    ...rest,
    name: as ?? `${name.slice(0, maxName - 11)} (restored)`,
    // The manifest has the stored form of the id.
    ...(confirmationTemplateId == null ? {} : { confirmationTemplateId: confirmationTemplateId as unknown as Id }),
    ...{ disabled: true, restoring: true },
    disabledReason: `It is being restored from a backup: see GET /admin/jobs/${publicId(jobId)}.`,
  });
  const ctx = forProject(platform, project);
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  const input = { backup, folder, linkBase: linkBase(platform) };
  batch.add(insertJob(ctx, { id: jobId, type: "project.restore", input, state: notesOfRestore(firstRestoreState) }));
  await batch.commit();
  await announceJob(ctx, "project.restore", jobId);
  return { jobId: publicId(jobId), projectId: project.id, keys };
}

/** Throws NotFound, and Conflict for a backup that is not complete. */
async function findBackup(platform: Platform, id: Id): Promise<BackupRow> {
  const row = await selectFirst(platform.control, sql`SELECT * FROM backups WHERE id = ${id}`, wholeRow(backups));
  if (row && row.completedAt !== null) return row;
  const job = await findJob(platform, id);
  if (job === null && row === null) throw new NotFound("backup", id);
  const isFailed = job === null || job.status === "failed";
  throw new Conflict(isFailed ? "This backup failed, so it cannot be restored." : "This backup is still in progress.", {
    suggestion: isFailed
      ? "Choose another one: GET /admin/projects/{id}/backups lists them."
      : "Wait until GET /admin/jobs/{id} says that it has completed, and send the request again.",
  });
}

function findJob(platform: Platform, id: Id): Promise<JobRow | null> {
  return searchDatabases(platform, (db) =>
    selectFirst(
      db,
      sql`SELECT * FROM jobs INDEXED BY ix_jobs_operator WHERE id = ${id} AND ${isCopy} AND type = 'project.backup'`,
      wholeRow(jobs),
    ),
  );
}

async function readManifest({ blobs }: Platform, folder: string): Promise<Manifest> {
  try {
    return await openBackup(blobs, folder);
  } catch (error) {
    if (error instanceof UnknownFormat) throw unreadable(`${error.message} Restore it with the version that made it.`);
    if (error instanceof BadBackup) throw unreadable(error.message);
    throw error;
  }
}

function unreadable(message: string): Invalid {
  return new Invalid([{ field: "backup", code: "custom", message }]);
}
