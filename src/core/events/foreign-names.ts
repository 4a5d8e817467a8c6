import { foreignNamesOfContact } from "../contacts/foreign-names";
import { type ForeignName, foreign } from "../foreign-names";

/** Field names of other APIs in calls that track an event. */
export const foreignNamesOfEvent: ForeignName[] = [
  ...foreign(["name", "event_name", "eventName", "eventType", "event_type"], {
    standsFor: "event",
    advice: "Use event, the name of the event",
  }),
  ...foreign(["timestamp", "occurredAt", "occurred_at", "created_at"], {
    advice: "Events are recorded at the time of the call and cannot be backdated: leave it out, or put it into data",
  }),
  ...foreignNamesOfContact,
];
