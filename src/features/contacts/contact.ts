import { publicId } from "../../core/ids";
import { iso, isoOrNull } from "../../core/time";
import type { ContactRow } from "../../db/tables";

export function contactJson(row: ContactRow) {
  return {
    id: publicId(row.id),
    email: row.email,
    subscribed: row.subscribed,
    snoozedUntil: isoOrNull(row.snoozedUntil),
    optedOutAt: isoOrNull(row.optedOutAt),
    confirmedAt: isoOrNull(row.confirmedAt),
    source: row.source,
    data: row.data,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}
