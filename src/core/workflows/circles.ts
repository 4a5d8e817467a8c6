import { serviceEventsThat } from "../events/service-event";
import type { StepType } from "./step";

const ofMail: readonly string[] = serviceEventsThat(({ causedBy }) => causedBy === "SEND_EMAIL");

/** The events that a step of this type may cause. */
export function causedBy(type: StepType, subscribed: boolean | null | undefined): readonly string[] {
  if (type === "SEND_EMAIL") return ofMail;
  if (type !== "UPDATE_CONTACT" || typeof subscribed !== "boolean") return [];
  return [subscribed ? "contact.subscribed" : "contact.unsubscribed"];
}

/** All events that some step may cause. */
export const causable: readonly string[] = serviceEventsThat(({ causedBy }) => causedBy);

/** Another enabled workflow, what starts it, and what its steps may cause. */
export interface CausingWorkflow {
  name: string;
  eventName: string;
  causes: readonly string[];
}

/**
 * The shortest way from the events that a step causes to one of this name: the names of the workflows through which it
 * leads. Null when there is none.
 */
export function wayTo(eventName: string, from: readonly string[], others: readonly CausingWorkflow[]): string[] | null {
  const ways = from.map((event) => ({ event, through: [] as string[] }));
  const seen = new Set(from);
  // The list grows while it is gone through.
  for (const { event, through } of ways) {
    for (const other of others.filter((one) => one.eventName === event)) {
      const next = [...through, other.name];
      if (other.causes.includes(eventName)) return next;
      for (const caused of other.causes) {
        if (!seen.has(caused)) ways.push({ event: caused, through: next });
        seen.add(caused);
      }
    }
  }
  return null;
}
