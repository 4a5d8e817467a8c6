import { z } from "zod";
import { type Id, newId, publicId, readId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted } from "../../../db/own-rows";
import { folderOf, isFolder } from "../../../engine/backups/folder";
import { Time, Whole } from "../../../engine/backups/manifest";
import { BadBackup } from "../../../engine/backups/restore/bad-backup";
import { firstRestoreState, notesOfRestore } from "../../../engine/backups/restore/state";
import { announceJob, insertJob } from "../../../engine/jobs/queue-job";
import { linkBase } from "../../../engine/mail/links";
import { forProject, type Platform } from "../../../platform/context";
import { insertProject } from "../create";
import { findBackup } from "./find";
import type { RestoreBackup } from "./schema";
import { openReadable, unreadable } from "./unreadable";

/** The maximum length of a setting in a manifest. It is limited because a manifest can come from anywhere. */
const maxText = 2_000;

/** The settings of a backup that a restored project takes over. An older backup may lack some. */
const Settings = z
  .object({
    name: z.string().max(maxText),
    fromName: z.string().max(maxText).nullable(),
    locale: z.string().max(maxText).nullable(),
    tracking: z.enum(["ENABLED", "DISABLED", "MARKETING_ONLY"]),
    monthlySendLimit: Whole.nullable(),
    sendRatePerSecond: Whole.nullable(),
    testClock: z.boolean(),
    clockAt: Time.nullable(),
    publicKeyMayResubscribe: z.boolean(),
    publicAnswers: z.enum(["IDS", "NONE"]),
    company: z.string().max(maxText).nullable(),
    postalAddress: z.string().max(maxText).nullable(),
    publicTrackSubscribes: z.boolean(),
    confirmationTemplateId: z.string().max(maxText).nullable(),
    sendingPausedReason: z.string().max(maxText).nullable(),
    sendingPausedAt: Time.nullable(),
    sendingCountedFrom: Whole.nullable(),
    maxStorageMb: Whole,
    addressKey: z.string().max(200),
  })
  .partial()
  .required({ name: true, addressKey: true });

const maxName = 100;

/**
 * Starts the restore of a backup into a new project, which is disabled. The job belongs to the new project. A crash
 * before the job is inserted leaves a disabled project, which can only be deleted. Throws NotFound, Conflict for a
 * backup that is not complete, and Invalid for one that this version cannot read.
 */
export async function restoreBackup(platform: Platform, { backup, as }: RestoreBackup) {
  const folder = isFolder(backup) ? backup : folderOf(await findBackup(platform, readId(backup)));
  const { project: settings } = await openReadable(platform, folder);
  const found = Settings.safeParse(settings);
  if (!found.success) {
    throw unreadable(new BadBackup(`The settings in the manifest are damaged: ${z.prettifyError(found.error)}`));
  }
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
