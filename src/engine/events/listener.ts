import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { Context } from "../../platform/context";

/** An event as its listeners get it. */
export interface HeardEvent {
  id: Id;
  name: string;
  contactId: Id | null;
  emailId: Id | null;
  source: "PUBLIC" | "API" | "SYSTEM";
  data: JsonObject;
  /** The workflows that led to it. */
  causes: string[];
  /** The workflows that it starts, as of its commit. */
  starts: Id[];
  createdAt: number;
  /** The listeners of this kind: whole ids, `<kind>:<id>`. At least one. */
  listenerIds: string[];
}

/**
 * A kind of listener, such as webhooks or workflows. The rows of `event_listeners` say which listener gets which
 * events. Each kind writes them with its own rows; their ids begin with the kind and a colon.
 */
export interface EventListener {
  kind: string;
  /**
   * Takes these events durably: once it returns, they are not lost. The same event may come again, even while it is
   * being taken, and must then have no further effect; its id identifies it. When this throws, each event is handed
   * over by itself, as far as the invocation has statements for that and the database works. What is not taken stays
   * waiting for its next message. Events of a disabled project come too.
   */
  hear(ctx: Context, events: HeardEvent[]): Promise<void>;
}

/** Executions wait for the name: one row for a project and a name, for as long as a step names it or an execution waits. */
export const waitListenerId = "workflow:wait:";

/**
 * The names in `event_listeners` that match an event: its own, its family, and `*`. The family is the part before the
 * first dot: `segment.*` matches `segment.vip.entry`, and `segment.vip.*` matches nothing. A name without a dot has no
 * family. `name` is an SQL expression.
 */
export function heardAs(name: SQL): SQL {
  return sql`(${name}, substr(${name}, 1, instr(${name}, '.')) || '*', '*')`;
}
