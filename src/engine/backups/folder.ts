import { iso } from "../../core/time";

/** Returns where the files of a backup are in the bucket: by its project and by when it was asked for. */
export function folderOf({ project, createdAt }: { project: string; createdAt: number }): string {
  return `backups/${project}/${iso(createdAt).replaceAll(":", "-")}`;
}

/** Returns the key of a part of a table or a shard. Parts are numbered from 1; `mark` tells contents of a part apart. */
export function partKey(folder: string, name: string, part: number, mark = ""): string {
  return `${folder}/${name}/${String(part).padStart(6, "0")}${mark && "-"}${mark}.ndjson`;
}
