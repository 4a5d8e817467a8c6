import { publicId } from "../../../core/ids";
import { CursorQuery, IdParam, ProjectParam } from "../../../http/params";
import { megabyte } from "../../../http/policy";
import { operatorRoutes } from "../../../http/routes";
import { QueuedJob, starting } from "../../../http/started-job";
import { streamedBody } from "../../../http/streamed-body";
import { backupJson } from "./backup";
import { listBackupFiles, openBackupFile } from "./files";
import { inProgress } from "./find";
import { listBackups } from "./list";
import { restoreBackup } from "./restore";
import {
  BackupFile,
  BackupFileQuery,
  BackupFiles,
  BackupResult,
  Backups,
  RestoreBackup,
  RestoreResult,
  StartedRestore,
  StartedUpload,
  UploadBackupFileQuery,
} from "./schema";
import { startBackup } from "./start";
import { beginUpload, storeBackupFile, uploaded } from "./upload";

/**
 * The maximum size of an uploaded file, in bytes. The largest stored file is an attachment: see MAX_ATTACHMENT_SIZE_MB.
 */
const maxFileBytes = 40 * megabyte;

export const backups = operatorRoutes("Operator");

backups.post(
  "/admin/projects/{id}/backup",
  {
    id: "backUpProject",
    isAudited: true,
    summary: "Back up a project",
    description: `Stores the project in the installation's bucket, as newline-delimited JSON: all rows as they were at one moment, the
executions of workflows, and stored files. Calls continue meanwhile, a few milliseconds slower at most. API keys,
webhooks' secrets and settings of the mail provider are left out.

Poll \`GET /admin/jobs/{id}\`, or list the backups. A project can have only one backup in progress.`,
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
    description: "Also lists the backups of a deleted project, until `BACKUP_RETENTION_DAYS` after each was made.",
    params: ProjectParam,
    ok: Backups,
  },
  async (platform, { params }) => ({ data: (await listBackups(platform, params.id)).map(backupJson) }),
);

backups.get(
  "/admin/backups/{id}/files",
  {
    id: "listBackupFiles",
    summary: "List the files of a backup",
    description:
      "Lists the files by name. `npm run backup -- --to <folder>` downloads all files of a backup to your machine.",
    params: IdParam,
    query: CursorQuery,
    ok: BackupFiles,
    refusals: () => [inProgress()],
  },
  (platform, { params, query }) => listBackupFiles(platform, params.id, query),
);

backups.get(
  "/admin/backups/{id}/file",
  {
    id: "getBackupFile",
    needsProof: true,
    summary: "Download a file of a backup",
    params: IdParam,
    query: BackupFileQuery,
    ok: { schema: BackupFile, mediaType: "application/octet-stream", example: "the bytes of the file" },
    refusals: () => [inProgress()],
  },
  async (platform, { params, query }, c) => {
    const { size, stream } = await openBackupFile(platform, params.id, query.name);
    const headers = { "Content-Type": "application/octet-stream", "Content-Length": `${size}` };
    // The OpenAPI document declares no JSON type for this body, which consists of the file's bytes.
    return c.body(stream, 200, headers) as never;
  },
);

backups.post(
  "/admin/backups",
  {
    id: "beginBackupUpload",
    needsProof: true,
    summary: "Begin the upload of a backup",
    description: `Use it for a backup that another installation made, or that is only on your machine. \`npm run restore -- --from <file>\`
uploads the backup and restores it. To do so yourself, upload its files under their names, \`manifest.json\` last, then
restore the backup by its id. An upload is deleted after \`BACKUP_RETENTION_DAYS\`, whether it is complete or not.`,
    created: StartedUpload,
  },
  async (platform) => ({ id: publicId(await beginUpload(platform)) }),
);

backups.put(
  "/admin/backups/{id}/file",
  {
    id: "uploadBackupFile",
    summary: "Upload a file of a backup",
    description: `The body is the file itself, with a \`Content-Length\`. A file is stored only if all of it arrives and, with \`sha256\`, only
if it has that hash. Uploading a file again replaces it. Once \`manifest.json\` has arrived, the upload is complete and takes
no more files. 422 if this version of Petrel cannot read the manifest.`,
    maxBody: maxFileBytes,
    params: IdParam,
    query: UploadBackupFileQuery,
    bytes: BackupFile,
    refusals: () => [uploaded()],
  },
  (platform, { params, query }, c) => storeBackupFile(platform, params.id, { ...query, incoming: streamedBody(c) }),
);

backups.post(
  "/admin/restore",
  {
    id: "restoreBackup",
    isAudited: true,
    needsProof: true,
    summary: "Restore a backup into a new project",
    description: `The new project is disabled, and sends nothing until you enable it: \`PATCH /admin/projects/{id}\` with \`disabled: false\`.
The original project, if it still exists, does not change. See [Backups](/docs/backups) for how the new project differs
from the backup.

Poll \`GET /admin/jobs/{id}\`. If the job fails, delete the new project.`,
    body: RestoreBackup,
    accepted: starting(StartedRestore, RestoreResult),
    also: [404, 409],
  },
  (platform, { body }) => restoreBackup(platform, body),
);
