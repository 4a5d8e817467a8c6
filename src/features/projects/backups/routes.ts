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

/** The most bytes of an uploaded file. The largest stored file is an attachment: see MAX_ATTACHMENT_SIZE_MB. */
const maxFileBytes = 40 * megabyte;

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

backups.get(
  "/admin/backups/{id}/files",
  {
    id: "listBackupFiles",
    summary: "List the files of a backup",
    description:
      "In the order of their names. `npm run backup -- --to <folder>` downloads them all into one file on your machine.",
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
    description: `For a backup that another installation made, or that is only on your machine: \`npm run restore -- --from <file>\`
uploads and restores it. Upload its files under their names, and \`manifest.json\` as the last one. Then restore it by its id. An upload is
deleted after \`BACKUP_RETENTION_DAYS\`, whether it is complete or not.`,
    created: StartedUpload,
  },
  async (platform) => ({ id: publicId(await beginUpload(platform)) }),
);

backups.put(
  "/admin/backups/{id}/file",
  {
    id: "uploadBackupFile",
    summary: "Upload a file of a backup",
    description: `The body is the file itself, and needs a \`Content-Length\`. It is stored while it arrives, and only if all of it
arrives; with \`sha256\`, only if it has that hash. A repeat stores the same. With \`manifest.json\`, the upload is complete, and takes no
more files. 422 when this version cannot read the manifest.`,
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
    description: `The new project is disabled, and stays so until \`PATCH /admin/projects/{id}\` with \`disabled: false\`: nothing is sent
before. The original, if it is still there, is not touched. See [Backups](/docs/backups) for how the new project differs from
the backup.

Poll \`GET /admin/jobs/{id}\`. When the job fails, delete the new project.`,
    body: RestoreBackup,
    accepted: starting(StartedRestore, RestoreResult),
    also: [404, 409],
  },
  (platform, { body }) => restoreBackup(platform, body),
);
