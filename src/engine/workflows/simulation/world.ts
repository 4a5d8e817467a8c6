import type { Id } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { ContactRow } from "../../../db/tables";

/** An event of a simulation. Its id is made of its time. */
export interface GivenEvent {
  id: Id;
  at: number;
  name: string;
  data: JsonObject;
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
  mails: NotedMail[];
}
