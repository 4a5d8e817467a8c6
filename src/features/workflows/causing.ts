import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { JsonValue } from "../../core/json";
import { type CausingWorkflow, causable, causedBy, causingKeys } from "../../core/workflows/circles";
import type { Graph, StepType } from "../../core/workflows/step";
import { startListeners, type Trigger } from "../../core/workflows/trigger";
import { asId, asJson, asOneOf, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select } from "../../db/statement";
import type { Context } from "../../platform/context";

const readCausing = columns({
  id: asId,
  name: asText,
  eventName: asText,
  type: asOneOf<StepType>(),
  value: orNull(asJson<JsonValue>()),
});

/**
 * Returns the other enabled workflows that could close a loop with this one: they start by an event that a step can
 * cause, and their own steps can cause such an event. Reads nothing if this workflow itself cannot be part of a loop.
 * At most 450 workflows are read: steps can cause nine different events, and each event starts at most fifty workflows.
 */
export async function causingWorkflows(
  ctx: Context,
  id: Id,
  trigger: Trigger,
  graph: Graph,
): Promise<CausingWorkflow[]> {
  const eventName = trigger.triggerType === "EVENT" ? trigger.triggerConfig.eventName : null;
  const mayCause = graph.steps.some(({ type }) => type in causingKeys);
  if (eventName === null || !causable.includes(eventName) || !mayCause) return [];
  const { open, closed } = startListeners;
  const rows = await select(
    ctx.db,
    sql`SELECT DISTINCT w.id, w.name, l.name AS event_name, s.type, s.config->k.value AS value
      FROM json_each(${JSON.stringify(causable)}) r
      CROSS JOIN event_listeners l ON ${inProject(ctx, "l")} AND l.name = r.value
        AND (l.listener_id GLOB ${`${open}*`} OR l.listener_id GLOB ${`${closed}*`})
      CROSS JOIN workflows w ON w.project_id = l.project_id
        AND w.id = replace(replace(l.listener_id, ${open}, ''), ${closed}, '') AND w.id <> ${id}
      CROSS JOIN workflow_steps s ON s.project_id = w.project_id AND s.workflow_id = w.id
      CROSS JOIN json_each(${JSON.stringify(causingKeys)}) k ON k.key = s.type
        AND (k.value IS NULL OR s.config->>k.value IS NOT NULL)
      ORDER BY w.id`,
    readCausing,
  );
  return [...Map.groupBy(rows, (row) => row.id).values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : { ...first, causes: [first, ...more].flatMap(({ type, value }) => causedBy(type, value)) },
  );
}
