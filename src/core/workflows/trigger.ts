import { type Id, textOf } from "../ids";

export const triggerTypes = ["EVENT", "MANUAL", "SCHEDULE"] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** The names in a `triggerConfig`. */
export const triggerParts = ["eventName", "publicEvents", "cron", "segmentId"] as const;

/** How a workflow starts, as its row stores it. Every workflow can also be started by hand. */
export type Trigger =
  | { triggerType: "EVENT"; triggerConfig: EventTrigger }
  | { triggerType: "MANUAL"; triggerConfig: Record<string, never> }
  | { triggerType: "SCHEDULE"; triggerConfig: ScheduleTrigger };

export interface EventTrigger {
  /** The exact name of the event. Null until one is chosen; until then the workflow only starts by hand. */
  eventName: string | null;
  /** Whether events sent with a public key start the workflow too. Anyone can send such events. */
  publicEvents: boolean;
}

export interface ScheduleTrigger {
  /** The cron expression, in UTC. */
  cron: string;
  /** The public id of the segment whose members start at each tick. */
  segmentId: string;
}

/** The listener of a workflow that is started by an event, and the event's name. */
export interface TriggerListener {
  name: string;
  listenerId: string;
}

/** The prefixes of listeners' ids. Listeners with the prefix `closed` ignore events sent with a public key. */
export const startListeners = { open: "workflow:start:", closed: "workflow:closed:" } as const;

/** Returns the row of `event_listeners` that a workflow has; null if no event starts it. */
export function listenerOf(workflow: { id: Id; enabled: boolean } & Trigger): TriggerListener | null {
  if (!workflow.enabled || workflow.triggerType !== "EVENT") return null;
  const { eventName, publicEvents } = workflow.triggerConfig;
  if (eventName === null) return null;
  const kind = publicEvents ? startListeners.open : startListeners.closed;
  return { name: eventName, listenerId: `${kind}${textOf(workflow.id)}` };
}
