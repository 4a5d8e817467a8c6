import { asId } from "../../src/core/ids";
import { createStep } from "../../src/features/workflows/steps/create";
import { deleteStep } from "../../src/features/workflows/steps/delete";
import { updateStep } from "../../src/features/workflows/steps/update";
import { createTransition } from "../../src/features/workflows/transitions/create";
import type { Drawn } from "./acts";
import { branchesOf, drawConfig } from "./workflow-model-draw";
import { type ModelStep, type ModelWay, type ModelWorkflow, withoutStep } from "./workflow-model-graph";
import type { Play } from "./workflow-model-play";

/** Somebody changes the graph of a workflow that executions are in. */
export function changeSteps(play: Play): Drawn {
  const { random, timeline, workflowIds } = play;
  const id = random.of(workflowIds);
  const workflow = timeline.last.workflows.get(id);
  const steps = [...(workflow?.steps.values() ?? [])].filter(({ type }) => type !== "TRIGGER");
  if (!workflow || steps.length === 0) return addStep(play, id, workflow);
  const step = random.of(steps);
  return random.of([reconfigure, reconfigure, removeStep, removeStep, drawWay, insertBehind])(play, workflow, step);
}

const nameOf = ({ workflowIds }: Play, { id }: ModelWorkflow) => `workflow ${workflowIds.indexOf(id)}`;

function reconfigure(play: Play, workflow: ModelWorkflow, { id, type, name }: ModelStep): Drawn {
  const config = drawConfig(play.drawing, type, name);
  return {
    name: `${nameOf(play, workflow)}: ${name} is ${JSON.stringify(config)}`,
    run: (ctx) => updateStep(ctx, { workflowId: asId(workflow.id), stepId: asId(id) }, { config } as never),
  };
}

/** Nobody else changes graphs in the same moment: so it is known what must come of it. */
function removeStep(play: Play, workflow: ModelWorkflow, { id, name }: ModelStep): Drawn {
  const isSpliced = play.random.isIn(60);
  return {
    name: `${nameOf(play, workflow)}: ${name} goes${isSpliced ? ", spliced" : ""}`,
    async run(ctx) {
      await deleteStep(ctx, { workflowId: asId(workflow.id), stepId: asId(id), isSpliced });
      const { moments } = play.timeline;
      const after = 1 + moments.findLastIndex(({ workflows }) => workflows.get(workflow.id)?.steps.has(id));
      const [before, now] = [after - 1, after].map((index) => moments[index]?.workflows.get(workflow.id));
      if (!before || !now) throw new Error("A step was deleted that nobody saw");
      const [expected, found] = [withoutStep(before, id, isSpliced), now.ways].map(drawn);
      if (expected !== found) throw new Error(`The graph is ${found}, and not ${expected}`);
    },
  };
}

function drawn(ways: ModelWay[]): string {
  return ways
    .map(({ from, to, branch }) => `${from.slice(-5)} ${branch} ${to.slice(-5)}`)
    .toSorted()
    .join(", ");
}

function drawWay(play: Play, workflow: ModelWorkflow, from: ModelStep): Drawn {
  const { random } = play;
  const to = random.of([...workflow.steps.values()]);
  const branches = branchesOf(from.type, from.config);
  const branch = branches.length === 0 ? null : random.of(branches);
  return {
    name: `${nameOf(play, workflow)}: ${from.name} leads to ${to.name} by ${branch}`,
    run: (ctx) =>
      createTransition(ctx, asId(workflow.id), { fromStepId: asId(from.id), toStepId: asId(to.id), branch }),
  };
}

function insertBehind(play: Play, workflow: ModelWorkflow, from: ModelStep): Drawn {
  const { random } = play;
  const branches = branchesOf(from.type, from.config);
  const branch = branches.length === 0 ? null : random.of(branches);
  return addStep(play, workflow.id, workflow, { from, branch });
}

let added = 0;

function addStep(
  play: Play,
  workflowId: string,
  workflow: ModelWorkflow | undefined,
  behind?: { from: ModelStep; branch: string | null },
): Drawn {
  const { random, workflowIds } = play;
  const type = random.of(["DELAY", "WAIT_FOR_EVENT", "CONDITION", "UPDATE_CONTACT", "EXIT"] as const);
  const name = `w${workflowIds.indexOf(workflowId)}a${++added}`;
  const config = drawConfig(play.drawing, type, name);
  const place = behind ? { connectFrom: asId(behind.from.id), ...(behind.branch && { branch: behind.branch }) } : {};
  return {
    name: `workflow ${workflowIds.indexOf(workflow?.id ?? "")}: new ${type} ${name} ${behind ? `behind ${behind.from.name}` : ""}`,
    run: (ctx) => createStep(ctx, asId(workflowId), { type, name, config, ...place } as never),
  };
}
