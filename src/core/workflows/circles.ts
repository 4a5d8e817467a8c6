import { serviceEventsThat } from "../events/service-event";
import type { StepType } from "./step";

const ofMail: readonly string[] = serviceEventsThat(({ causedBy }) => causedBy === "SEND_EMAIL");

/** Returns the events that a step of this type may cause. */
export function causedBy(type: StepType, subscribed: boolean | null | undefined): readonly string[] {
  if (type === "SEND_EMAIL") return ofMail;
  if (type !== "UPDATE_CONTACT" || typeof subscribed !== "boolean") return [];
  return [subscribed ? "contact.subscribed" : "contact.unsubscribed"];
}

/** All events that a step of any type may cause. */
export const causable: readonly string[] = serviceEventsThat(({ causedBy }) => causedBy);

/** Another enabled workflow: the event that starts it, and the events that its steps may cause. */
export interface CausingWorkflow {
  name: string;
  eventName: string;
  causes: readonly string[];
}

/**
 * Finds the shortest path from the events that a step causes to the event `eventName`. Returns the names of the
 * workflows on that path; null if there is none.
 */
export function pathTo(
  eventName: string,
  from: readonly string[],
  others: readonly CausingWorkflow[],
): string[] | null {
  const paths = from.map((event) => ({ event, through: [] as string[] }));
  const seen = new Set(from);
  // The loop appends to the list that it iterates over.
  for (const { event, through } of paths) {
    for (const other of others.filter((one) => one.eventName === event)) {
      const next = [...through, other.name];
      if (other.causes.includes(eventName)) return next;
      for (const caused of other.causes) {
        if (!seen.has(caused)) paths.push({ event: caused, through: next });
        seen.add(caused);
      }
    }
  }
  return null;
}
