import { type Id, newIdAt, timeOf } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { Budget } from "../../../core/templating/budget";
import type { ContactRow } from "../../../db/tables";
import type { EventSource } from "../steps/arrival";

/** An event of a simulation. Its id is derived from its time. */
export interface GivenEvent {
  id: Id;
  at: number;
  name: string;
  source: EventSource;
  data: JsonObject;
  /** The changes to the contact's data that the event makes. */
  patch: JsonObject;
}

/** An email that an execution would send. */
export interface NotedMail {
  at: number;
  templateId: Id;
  /** The rendered subject. */
  subject: string;
}

/** The part of the world that a simulated execution changes. Everything else is read as it is now. */
export interface SimulatedWorld {
  /** The simulation's time, in milliseconds since 1970. */
  now: number;
  contact: ContactRow;
  /** All events in chronological order, including those still to come. */
  events: readonly GivenEvent[];
  /** How many of the events have happened. */
  happened: number;
  mails: NotedMail[];
  /** The budget of everything that the simulation renders. */
  budget: Budget;
}

/**
 * Moves the time forward to an event or a moment, and applies all events up to then to the contact. If several events
 * share a moment, only those up to the given one have happened.
 */
export function advanceTo(world: SimulatedWorld, now: number, event: GivenEvent | null): void {
  const { events, happened } = world;
  const before = event ? events.indexOf(event) + 1 : events.filter(({ at }) => at < now).length;
  for (const { at, patch } of events.slice(happened, before)) {
    if (Object.keys(patch).length > 0) world.contact = withData(world.contact, patch, at);
  }
  world.happened = Math.max(happened, before);
  world.now = Math.max(world.now, now);
}

/**
 * Adds an event that the execution itself causes now. Its id sorts after those of all events that have already
 * happened, because ids are in the order of events.
 */
export function happen(world: SimulatedWorld, name: string): void {
  const { events, happened, now } = world;
  const newest = events[happened - 1];
  const id = newIdAt(newest ? Math.max(now, timeOf(newest.id) + 1) : now);
  world.events = events.toSpliced(happened, 0, { id, at: now, name, source: "SYSTEM", data: {}, patch: {} });
  world.happened = happened + 1;
}

/** Returns the contact with changed data. As in the database, keys are replaced as a whole, and deleted by null. */
export function withData(contact: ContactRow, patch: JsonObject, at: number): ContactRow {
  const data = Object.entries({ ...contact.data, ...patch }).filter(([, value]) => value !== null);
  return { ...contact, data: Object.fromEntries(data), updatedAt: at };
}
