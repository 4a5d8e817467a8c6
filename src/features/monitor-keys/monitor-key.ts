import { publicId } from "../../core/ids";
import { iso } from "../../core/time";
import type { monitorKeys } from "../../db/tables";

export type MonitorKeyRow = typeof monitorKeys.$inferSelect;

export function monitorKeyJson({ id, name, prefix, createdAt }: MonitorKeyRow) {
  return { id: publicId(id), kind: "monitor" as const, name, prefix, createdAt: iso(createdAt) };
}
