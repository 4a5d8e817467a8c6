import { type Id, textOf } from "../ids";

export const triggerTypes = ["EVENT", "MANUAL", "SCHEDULE"] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** What a `triggerConfig` may have. */
export const triggerParts = ["eventName", "publicEvents", "cron", "segmentId"] as const;

/** What starts a workflow, as its row holds it. Executions can be started by hand whatever its type. */
export type Trigger =
  | { triggerType: "EVENT"; triggerConfig: EventTrigger }
  | { triggerType: "MANUAL"; triggerConfig: Record<string, never> }
  | { triggerType: "SCHEDULE"; triggerConfig: ScheduleTrigger };

export interface EventTrigger {
  /** Exact. Null while nobody has chosen one: the workflow then starts by hand only. */
  eventName: string | null;
  /** Also by events of public keys, which anybody can send. */
  publicEvents: boolean;
}

export interface ScheduleTrigger {
  /** In UTC. */
  cron: string;
  /** Whose members start at each tick. A public id. */
  segmentId: string;
}

/** The listener of a workflow that is started by an event, and the name it listens for. */
export interface TriggerListener {
  name: string;
  listenerId: string;
}

/** Kinds of listeners: those of `closed` hear no events of public keys. */
export const startListeners = { open: "workflow:start:", closed: "workflow:closed:" } as const;

/** The row of `event_listeners` that a workflow has; null when no event starts it. */
export function listenerOf(workflow: { id: Id; enabled: boolean } & Trigger): TriggerListener | null {
  if (!workflow.enabled || workflow.triggerType !== "EVENT") return null;
  const { eventName, publicEvents } = workflow.triggerConfig;
  if (eventName === null) return null;
  const kind = publicEvents ? startListeners.open : startListeners.closed;
  return { name: eventName, listenerId: `${kind}${textOf(workflow.id)}` };
}
