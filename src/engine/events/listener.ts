import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { Context } from "../../platform/context";

/** An event as its listeners receive it. */
export interface AnnouncedEvent {
  id: Id;
  name: string;
  contactId: Id | null;
  emailId: Id | null;
  source: "PUBLIC" | "API" | "SYSTEM";
  /** Whether a public key sent or caused the event. */
  isPublic: boolean;
  data: JsonObject;
  /** The workflows that caused the event. */
  causes: string[];
  /** The workflows that the event starts, as decided at its commit. */
  starts: Id[];
  createdAt: number;
  /**
   * The ids of the listeners that receive the event, all of one kind, in the form `<kind>:<id>`. There is at least one.
   */
  listenerIds: string[];
}

/**
 * A kind of listener, such as webhooks or workflows. The rows of `event_listeners` map event names to listeners. Each
 * kind writes these rows together with its own rows. The ids of listeners begin with their kind and a colon.
 */
export interface EventListener {
  kind: string;
  /**
   * Durably stores the work that these events cause. The same event may arrive again, even concurrently, and must then
   * have no further effect; its id identifies it. When the method throws, the events are passed again one at a time,
   * unless the database does not answer or the invocation has made too many statements. An event that is refused again
   * waits for its next message. Events of a disabled project arrive too.
   */
  receive(ctx: Context, events: AnnouncedEvent[]): Promise<void>;
}

/** Whether a public key has sent or caused the event `e`. */
export function isByPublicKey(e: "e" | "f"): SQL {
  return sql.raw(`(${e}.source = 'PUBLIC' OR ${e}.is_public)`);
}

/**
 * The listener id for steps that wait for an event. There is one row with this id per project and event name, as long
 * as a step names the event or an execution waits for it.
 */
export const waitListenerId = "workflow:wait:";

/**
 * Returns the names in `event_listeners` that match an event: its own, its family, and `*`. The family is the part
 * before the first dot: `segment.*` matches `segment.vip.entry`, and `segment.vip.*` matches nothing. A name without a
 * dot has no family. `name` is an SQL expression.
 */
export function namesMatching(name: SQL): SQL {
  return sql`(${name}, substr(${name}, 1, instr(${name}, '.')) || '*', '*')`;
}
