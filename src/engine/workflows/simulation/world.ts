import { type Id, newIdAt, timeOf } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { Budget } from "../../../core/templating/budget";
import type { ContactRow } from "../../../db/tables";
import type { EventSource } from "../arrival";

/** An event of a simulation. Its id is made of its time. */
export interface GivenEvent {
  id: Id;
  at: number;
  name: string;
  source: EventSource;
  data: JsonObject;
  /** What it writes to the contact's data. */
  patch: JsonObject;
}

/** A mail that a run would send. */
export interface NotedMail {
  at: number;
  templateId: Id;
  /** As it would be rendered. */
  subject: string;
}

/** The part of the world that a simulated run changes. All else is as it is now. */
export interface SimulatedWorld {
  /** The time of the simulation, in milliseconds since 1970. */
  now: number;
  contact: ContactRow;
  /** In the order of time, also those that are yet to come. */
  events: readonly GivenEvent[];
  /** So many of the events have happened. */
  happened: number;
  mails: NotedMail[];
  /** Of all that the simulation renders. */
  budget: Budget;
}

/**
 * Time goes on, up to an event or to a moment: of the events of that moment only those up to the given one have happened.
 * What they say of the contact is written.
 */
export function goOnTo(world: SimulatedWorld, now: number, event: GivenEvent | null): void {
  const { events, happened } = world;
  const before = event ? events.indexOf(event) + 1 : events.filter(({ at }) => at < now).length;
  for (const { at, patch } of events.slice(happened, before)) {
    if (Object.keys(patch).length > 0) world.contact = withData(world.contact, patch, at);
  }
  world.happened = Math.max(happened, before);
  world.now = Math.max(world.now, now);
}

/** An event that the run itself causes, now. Ids are in the order of events, so it comes after all that have happened. */
export function happen(world: SimulatedWorld, name: string): void {
  const { events, happened, now } = world;
  const newest = events[happened - 1];
  const id = newIdAt(newest ? Math.max(now, timeOf(newest.id) + 1) : now);
  world.events = events.toSpliced(happened, 0, { id, at: now, name, source: "SYSTEM", data: {}, patch: {} });
  world.happened = happened + 1;
}

/** Keys are replaced whole, and null deletes one, as in the database. */
export function withData(contact: ContactRow, patch: JsonObject, at: number): ContactRow {
  const data = Object.entries({ ...contact.data, ...patch }).filter(([, value]) => value !== null);
  return { ...contact, data: Object.fromEntries(data), updatedAt: at };
}
