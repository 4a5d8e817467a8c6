import { type ActivityType, activityTypeOf, segmentOfEvent } from "../../core/events/activity-types";
import { publicId, publicIdOrNull, timeOf } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import { iso } from "../../core/time";
import type { StoredEvent } from "../../engine/events/stored-event";

export function activityJson({ row, contactEmail }: StoredEvent) {
  const type = activityTypeOf(row.name);
  return {
    id: publicId(row.id),
    type,
    timestamp: iso(timeOf(row.id)),
    contactId: publicIdOrNull(row.contactId),
    contactEmail,
    metadata: metadataOf(type, row),
  };
}

/**
 * Returns the data that an activity shows. A caller's keys are nested under `data`, so that they cannot collide with
 * the service's own.
 */
function metadataOf(type: ActivityType, { name, source, data }: StoredEvent["row"]): JsonObject {
  if (type === "event.triggered") return { event: name, source, data };
  const segment = segmentOfEvent(name);
  return segment === null ? data : { event: name, segment, ...data };
}
