import { type SQL, sql } from "drizzle-orm";
import { asId, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import { dispatchEvents } from "../events/dispatch";
import type { EventListener } from "../events/listener";
import type { Timed } from "./timed";

const eventsAtOnce = 200;

/** Events with listeners. They are never scheduled, but the clock does not move until all are dispatched. */
export function timedEvents(listeners: readonly EventListener[]): Timed {
  return {
    name: "events that are not dispatched",
    isDue: (ctx) => sql`EXISTS (SELECT 1 ${undispatched(ctx)})`,
    async settle(ctx) {
      const events = await select(
        ctx.db,
        sql`SELECT id ${undispatched(ctx)} ORDER BY id LIMIT ${eventsAtOnce}`,
        columns({ id: asId }),
      );
      const ids = events.map(({ id }) => id);
      await dispatchEvents(ctx, ids, listeners);
    },
  };
}

function undispatched({ project }: Context): SQL {
  return sql`FROM events INDEXED BY ix_events_waiting
    WHERE project_id = ${project.number} AND next_announce_at IS NOT NULL`;
}
