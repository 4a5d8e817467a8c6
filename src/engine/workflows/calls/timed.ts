import { type SQL, sql } from "drizzle-orm";
import { asText, columns } from "../../../db/rows";
import { select } from "../../../db/statement";
import { type Context, inRealTime } from "../../../platform/context";
import type { Timed } from "../../clock/timed";
import { workflowCalls } from "./calls";
import type { Settle } from "./report";

/**
 * Calls of WEBHOOK steps. An advance of the test clock makes them itself, so that none depends on a message that may be
 * lost.
 */
export function timedCalls(report: Settle): Timed {
  return {
    name: "calls of workflows",
    isDue: (ctx) => sql`EXISTS (SELECT 1 ${open(ctx)})`,
    async settle(ctx) {
      const hosts = await select(ctx.db, sql`SELECT DISTINCT host ${open(ctx)}`, columns({ host: asText }));
      for (const { host } of hosts) await workflowCalls(report).takeTurn(inRealTime(ctx), host, () => false);
    },
  };
}

/** Includes calls that a consumer has taken. */
function open({ project }: Context): SQL {
  return sql`FROM workflow_calls INDEXED BY ix_workflow_calls_due
    WHERE project_id = ${project.number} AND next_attempt_at IS NOT NULL`;
}
