import { type SQL, sql } from "drizzle-orm";
import { asId, columns } from "../../db/rows";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";
import { dispatchEvents } from "../events/dispatch";
import type { EventListener } from "../events/listener";
import type { Timed } from "./timed";

const eventsAtOnce = 200;

/** Events that somebody listens for. They have no time to wait for, but time stands still until all have been heard. */
export function timedEvents(listeners: readonly EventListener[]): Timed {
  return {
    name: "events that their listeners have not taken",
    isDue: (ctx) => sql`EXISTS (SELECT 1 ${waiting(ctx)})`,
    async settle(ctx) {
      const found = await select(
        ctx.db,
        sql`SELECT id ${waiting(ctx)} ORDER BY id LIMIT ${eventsAtOnce}`,
        columns({ id: asId }),
      );
      const ids = found.map(({ id }) => id);
      await dispatchEvents(ctx, ids, listeners);
    },
  };
}

function waiting({ project }: Context): SQL {
  return sql`FROM events INDEXED BY ix_events_waiting
    WHERE project_id = ${project.number} AND next_announce_at IS NOT NULL`;
}
