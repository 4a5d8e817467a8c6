import { type Id, publicId } from "../../../core/ids";
import { iso, isoOrNull } from "../../../core/time";
import type { BackupRow, JobRow } from "../../../db/tables";

export interface Backup {
  id: Id;
  status: "running" | "completed" | "failed";
  rows: number;
  bytes: number;
  createdAt: number;
  completedAt: number | null;
}

export function backupOfRow({ id, rows, bytes, createdAt, completedAt }: BackupRow): Backup {
  return { id, status: "completed", rows, bytes, createdAt, completedAt };
}

/** Describes an incomplete backup from its job. */
export function backupOfJob({ id, status, createdAt }: JobRow): Backup {
  return { id, status: status === "failed" ? "failed" : "running", rows: 0, bytes: 0, createdAt, completedAt: null };
}

export function backupJson({ id, createdAt, completedAt, ...backup }: Backup) {
  return { id: publicId(id), ...backup, createdAt: iso(createdAt), completedAt: isoOrNull(completedAt) };
}
