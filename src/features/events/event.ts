import { publicId, publicIdOrNull, timeOf } from "../../core/ids";
import { iso } from "../../core/time";
import type { StoredEvent } from "../../engine/events/stored-event";

export function eventJson({ row, contactEmail }: StoredEvent) {
  return {
    id: publicId(row.id),
    name: row.name,
    contactId: publicIdOrNull(row.contactId),
    contactEmail,
    emailId: publicIdOrNull(row.emailId),
    source: row.source,
    data: row.data,
    createdAt: iso(timeOf(row.id)),
  };
}
