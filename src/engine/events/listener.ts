import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { JsonObject } from "../../core/json";
import type { Context } from "../../platform/context";

/** An event, as those hear it who listen for it. */
export interface HeardEvent {
  id: Id;
  name: string;
  contactId: Id | null;
  emailId: Id | null;
  data: JsonObject;
  createdAt: number;
  /** Who of this kind listens for it: whole ids, `<kind>:<id>`. At least one. */
  listenerIds: string[];
}

/**
 * A kind of listener: webhooks are one, workflows another. Who listens for what is rows of `event_listeners`, which
 * each kind writes with its own; the id of each begins with the kind and a colon.
 */
export interface EventListener {
  kind: string;
  /**
   * Takes these events, durably: what it promises is promised once it returns. The same event may come again, also
   * while it is still being taken, and must then do nothing more: it is known by its id. When this throws, each event
   * is handed over by itself, and one that throws again stays waiting: its message comes again. Events of a disabled
   * project come too.
   */
  hear(ctx: Context, events: HeardEvent[]): Promise<void>;
}

/**
 * The names under which rows of `event_listeners` hear of an event: its own, its family, and `*`. The family is what
 * goes before the first dot, so that `segment.*` hears of `segment.vip.entry`, and nobody listens for `segment.vip.*`;
 * a name without a dot has none. `name` is an SQL expression.
 */
export function heardAs(name: SQL): SQL {
  return sql`(${name}, substr(${name}, 1, instr(${name}, '.')) || '*', '*')`;
}
