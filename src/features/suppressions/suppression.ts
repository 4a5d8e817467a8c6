import { iso } from "../../core/time";
import type { suppressions } from "../../db/tables";

export type SuppressionRow = typeof suppressions.$inferSelect;

export function suppressionJson(row: SuppressionRow) {
  return { email: row.email, reason: row.reason, createdAt: iso(row.createdAt) };
}
