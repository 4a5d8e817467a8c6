import { publicId } from "../../../core/ids";
import { ProjectParam } from "../../../http/params";
import { operatorRoutes } from "../../../http/routes";
import { QueuedJob, starting } from "../../../http/started-job";
import { backupJson } from "./backup";
import { listBackups } from "./list";
import { restoreBackup } from "./restore";
import { BackupResult, Backups, RestoreBackup, RestoreResult, StartedRestore } from "./schema";
import { startBackup } from "./start";

export const backups = operatorRoutes("Operator");

backups.post(
  "/admin/projects/{id}/backup",
  {
    id: "backUpProject",
    isAudited: true,
    summary: "Back up a project",
    description: `Stores the project in the bucket of the installation, as newline-delimited JSON: all rows at one moment, the
executions of workflows, and stored files. Calls continue meanwhile, and are slowed down by at most a few milliseconds.
API keys, webhooks' secrets and settings of the mail provider are left out.

Poll \`GET /admin/jobs/{id}\`, or list the backups. One backup of a project is made at a time.`,
    params: ProjectParam,
    accepted: starting(QueuedJob, BackupResult),
    also: [409],
  },
  async (platform, { params }) => {
    const { jobId } = await startBackup(platform, params.id);
    return { jobId: publicId(jobId) };
  },
);

backups.get(
  "/admin/projects/{id}/backups",
  {
    id: "listBackups",
    summary: "List the backups of a project, newest first",
    description: "Also those of a deleted project, until they are deleted after `BACKUP_RETENTION_DAYS`.",
    params: ProjectParam,
    ok: Backups,
  },
  async (platform, { params }) => ({ data: (await listBackups(platform, params.id)).map(backupJson) }),
);

backups.post(
  "/admin/restore",
  {
    id: "restoreBackup",
    isAudited: true,
    needsProof: true,
    summary: "Restore a backup into a new project",
    description: `The new project is disabled, and stays so until \`PATCH /admin/projects/{id}\` with \`disabled: false\`: nothing is sent
before. The original, if it is still there, is not touched. See [Backups](/docs/backups) for what the new project has other than
the backup.

Poll \`GET /admin/jobs/{id}\`. When the job fails, delete the new project.`,
    body: RestoreBackup,
    accepted: starting(StartedRestore, RestoreResult),
    also: [404, 409],
  },
  (platform, { body }) => restoreBackup(platform, body),
);
