import { asId } from "../../src/core/ids";
import { deleteContact } from "../../src/features/contacts/delete";
import { updateContact } from "../../src/features/contacts/update";
import { trackEvent } from "../../src/features/events/track";
import { cancelAllExecutions, cancelExecution } from "../../src/features/workflows/executions/cancel";
import { startExecution } from "../../src/features/workflows/executions/start";
import { updateWorkflow } from "../../src/features/workflows/update";
import { type Drawn, drawDeath, endOf, toggleProject, withDeath } from "./acts";
import { changeSteps } from "./workflow-model-changes";
import { eventNames } from "./workflow-model-draw";
import type { ModelContact } from "./workflow-model-graph";
import { type Actor, advance, allSteps, contextOf, type Play } from "./workflow-model-play";
import { working } from "./workflow-model-work";

export type Draw = (play: Play) => Drawn;

/** Something that a customer, a visitor, the cron or the queue does, in a process that may die of it. */
export interface Act {
  name: string;
  run(): Promise<void>;
}

const people: Draw[] = [
  ...[track, track, track, track, track, track, track, track, startByHand, change, change, erase],
  ...[cancelOne, cancelAll, toggleWorkflow, changeSteps, changeSteps],
];

/** A few at once: mostly the queue and the objects are at work, and somebody comes in between. */
export function drawActs(play: Play): Act[] {
  const { random } = play;
  const lists = [working, people, random.of([working, people]), working, random.of([working, people])];
  const acts = lists.slice(random.below(2), 2 + random.below(4)).map((from) => random.of(from));
  if (random.isIn(2)) acts.push(toggleProject);
  return acts.map((draw, index) => actOf(play, draw, index));
}

function actOf(play: Play, draw: Draw, index: number): Act {
  const { world, random, turns } = play;
  const drawn = draw(play);
  const death = drawDeath(random, drawn, { percent: 15, steps: [3, 10] });
  const name = withDeath(drawn.name, death);
  return {
    name,
    async run() {
      const actor: Actor = { name: `act ${index}`, steps: Promise.resolve() };
      await turns.ask(actor.name);
      advance(play, 1);
      const from = world.now;
      let end: string;
      try {
        end = await endOf(world, drawn, contextOf(play, actor, death));
      } finally {
        await allSteps(actor);
        turns.end();
      }
      play.log.push(`${from}-${world.now} ${name}: ${end}`);
    },
  };
}

/** The event of somebody, now and then by a public key. Its data looks like Liquid. */
export function track(play: Play): Drawn {
  const { random, addresses } = play;
  const [email, event] = [random.of(addresses), random.of(eventNames)];
  const own = (value: unknown) => ({ value, persistent: false });
  const data = {
    ...(random.isIn(70) ? { kind: own(random.of(["pro", "free", "other"])) } : {}),
    ...(random.isIn(70) ? { n: own(random.below(10)) } : {}),
    note: own("{{ email }}"),
    ...(random.isIn(20) ? { plan: random.of(["pro", "free"]) } : {}),
  };
  const keyKind = random.isIn(20) ? "public" : "secret";
  const call = { email, event, data } as Parameters<typeof trackEvent>[1];
  return {
    name: `${keyKind === "public" ? "public " : ""}${event} of ${email} ${JSON.stringify([data.kind?.value, data.n?.value])}`,
    run: (ctx) => trackEvent({ ...ctx, keyKind }, call, "POST /v1/track"),
  };
}

function anyone({ timeline, random }: Play): ModelContact {
  return random.of([...timeline.last.contacts.values()]);
}

function isNobodyThere({ timeline }: Play): boolean {
  return timeline.last.contacts.size === 0;
}

function startByHand(play: Play): Drawn {
  if (isNobodyThere(play)) return track(play);
  const { random, workflowIds } = play;
  const { id, email } = anyone(play);
  const workflowId = random.of(workflowIds);
  const context = random.isIn(50) ? { gift: "book" } : undefined;
  return {
    name: `start ${play.workflowIds.indexOf(workflowId)} by hand for ${email}`,
    run: (ctx) => startExecution(ctx, asId(workflowId), { contactId: asId(id), context }),
  };
}

/** Also of what waits. */
function change(play: Play): Drawn {
  if (isNobodyThere(play)) return track(play);
  const { random } = play;
  const { id, email } = anyone(play);
  const change = {
    ...(random.isIn(60) ? { subscribed: random.isIn(50) } : {}),
    ...(random.isIn(60) ? { data: { plan: random.of(["pro", "free"]) } } : {}),
  };
  return { name: `${email} is ${JSON.stringify(change)}`, run: (ctx) => updateContact(ctx, asId(id), change) };
}

function erase(play: Play): Drawn {
  if (isNobodyThere(play) || !play.random.isIn(50)) return track(play);
  const { id, email } = anyone(play);
  return { name: `delete ${email}`, run: (ctx) => deleteContact(ctx, asId(id)) };
}

/** Which one that is, is known when it is done. */
function cancelOne(play: Play): Drawn {
  const { random, project } = play;
  const index = random.below(3);
  return {
    name: "cancel an execution",
    async run(ctx) {
      const query = `SELECT workflow_id || ' ' || id AS both FROM workflow_executions WHERE project_id = ?
        AND status IN ('RUNNING', 'WAITING') ORDER BY started_at, id LIMIT 1 OFFSET ?`;
      const both = await project.db.prepare(query).bind(project.number, index).first<string>("both");
      const [workflowId, id] = (both ?? "").split(" ").map(asId);
      if (workflowId && id) await cancelExecution(ctx, workflowId, id);
    },
  };
}

function cancelAll(play: Play): Drawn {
  const { random, workflowIds } = play;
  if (!random.isIn(30)) return track(play);
  const id = random.of(workflowIds);
  return {
    name: `cancel all of ${workflowIds.indexOf(id)}`,
    run: (ctx) => cancelAllExecutions(ctx, asId(id)),
  };
}

function toggleWorkflow(play: Play): Drawn {
  const { random, workflowIds, timeline } = play;
  const id = random.of(workflowIds);
  const is = timeline.last.workflows.get(id);
  const change = random.of([
    { enabled: !is?.enabled },
    { allowReentry: !is?.allowReentry },
    { triggerConfig: { eventName: random.of(eventNames), publicEvents: random.isIn(50) } },
  ]);
  return {
    name: `workflow ${workflowIds.indexOf(id)} is ${JSON.stringify(change)}`,
    run: (ctx) => updateWorkflow(ctx, asId(id), change),
  };
}
