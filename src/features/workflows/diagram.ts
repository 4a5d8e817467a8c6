import type { Id } from "../../core/ids";
import { drawDiagram } from "../../core/workflows/diagram";
import { countSteps } from "../../engine/workflows/count-steps";
import { graphOf } from "../../engine/workflows/graph";
import type { Context } from "../../platform/context";
import { getWorkflow } from "./workflow";

/** `GET /workflows/{id}/diagram`: the graph as Mermaid text, with the number of those who wait at each step. Throws NotFound. */
export async function workflowDiagram(ctx: Context, id: Id): Promise<string> {
  const graph = graphOf(await getWorkflow(ctx, id));
  const counted = await countSteps(
    ctx,
    id,
    graph.steps.map((step) => step.id),
  );
  return drawDiagram(graph, new Map(counted.map(({ stepId, waiting }) => [stepId, waiting])));
}
