import { iso } from "../../core/time";

/** Returns the folder of a backup in the bucket: the project's id, then the time of the request for the backup. */
export function folderOf({ project, createdAt }: { project: string; createdAt: number }): string {
  return `backups/${project}/${iso(createdAt).replaceAll(":", "-")}`;
}

/** Whether a string is the name of a backup's folder. The backup may come from another installation. */
export function isFolder(text: string): boolean {
  return /^backups\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9TZ.-]+$/.test(text);
}

/**
 * Returns the key of one part of a table or a shard. Parts are numbered from 1; `mark` distinguishes different contents
 * of the same part.
 */
export function partKey(folder: string, name: string, part: number, mark = ""): string {
  return `${folder}/${name}/${String(part).padStart(6, "0")}${mark && "-"}${mark}.ndjson`;
}
