import { belowAllIds, type Id, textOf, timeOf } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { Budget } from "../../../core/templating/budget";
import { type ExecutionPosition, isActive, type StepRecord } from "../../../core/workflows/execution";
import { joinEvents, publicKeysOf } from "../../../core/workflows/joined-events";
import { advance, beginWait, decide, stepOf } from "../../../core/workflows/machine";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { startPosition } from "../../../core/workflows/position";
import type { Graph, Step } from "../../../core/workflows/step";
import { wakeByEvent, wakeByTime } from "../../../core/workflows/wake";
import type { ContactRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { effectOf } from "../step-effects";
import type { Arrival } from "../steps/arrival";
import { advanceTo, type GivenEvent, type NotedMail, type SimulatedWorld } from "./world";

/** The inputs of a simulation. */
export interface Simulated {
  workflow: Arrival["workflow"];
  graph: Graph;
  contact: ContactRow;
  /** The event that starts the execution; null for a start by hand. */
  start: GivenEvent | null;
  /** All events in chronological order. */
  events: readonly GivenEvent[];
  /** When the simulation stops; null to continue until the execution ends. */
  until: number | null;
}

export interface Simulation {
  position: ExecutionPosition;
  /** The records of the steps, in the order in which the execution reached them. */
  records: StepRecord[];
  mails: NotedMail[];
}

/**
 * Returns the path that an execution would take, with every wait and email, and without any effect. The simulation uses
 * the machine and the compiler of real executions; only the contact and the events are simulated. It jumps from wait to
 * wait, so simulating a year takes no longer than simulating a minute. It always ends, because graphs have no loops.
 */
export async function simulate(ctx: Context, given: Simulated): Promise<Simulation> {
  const { graph, start, events } = given;
  const now = start?.at ?? ctx.now.getTime();
  const world: SimulatedWorld = { now, contact: given.contact, events, happened: 0, mails: [], budget: new Budget() };
  advanceTo(world, now, start);
  const records = new Map<Id, StepRecord>();
  let position = startPosition(now, start?.id ?? null);
  let taken = start ? [start] : [];
  while (isActive(position.status)) {
    if (position.status === "WAITING") {
      const next = nextWake(position, world);
      if (next === null || (given.until !== null && next.at > given.until)) break;
      advanceTo(world, next.at, next.event);
      if (next.event) taken = joinEvents([...taken, next.event]).events;
      position = next.event ? wakeByEvent(position, next.event) : wakeByTime(position, world.now);
      continue;
    }
    const newest = newestOf(world);
    const outcome = await outcomeAt(ctx, { ...given, position, taken, records, world });
    // An event that a step causes counts for a wait that follows the step. A real execution behaves the same, because
    // it records the start of the wait before the effect.
    const isEffect = position.outcome === null && outcome.kind === "done";
    const before = isEffect ? { ...position, since: position.since ?? newest } : position;
    const move = advance(graph, before, outcome, world.now);
    if (move.record) records.set(move.record.stepId, move.record);
    position = move.position;
    // The step cannot be done now, and simulated time would not change that, so the simulation stops here.
    if (outcome.kind === "later") break;
  }
  return { position, records: [...records.values()].toSorted((a, b) => a.ordinal - b.ordinal), mails: world.mails };
}

/**
 * Returns what ends the wait first: the event for which the execution waits, or its wake time. Null if neither comes.
 */
function nextWake(
  { awaits, since, wakeAt }: ExecutionPosition,
  { events, now }: SimulatedWorld,
): { at: number; event: GivenEvent | null } | null {
  const event =
    awaits === null ? undefined : events.find(({ id, name }) => name === awaits && isAfter(id, since ?? belowAllIds));
  // An event that the execution causes has an id of a later instant than its time, and waking it looks at the id.
  const at = event && Math.max(event.at, timeOf(event.id), now);
  if (event && at !== undefined && (wakeAt === null || at < wakeAt)) return { at, event };
  return wakeAt === null ? null : { at: wakeAt, event: null };
}

interface SimulationState extends Simulated {
  position: ExecutionPosition;
  /** The events that started or woke the execution, oldest first. */
  taken: GivenEvent[];
  records: ReadonlyMap<Id, StepRecord>;
  world: SimulatedWorld;
}

async function outcomeAt(ctx: Context, state: SimulationState): Promise<StepOutcome> {
  const { graph, position, world } = state;
  if (position.outcome) return position.outcome;
  const step = stepOf(graph, position);
  if (step === null) return { kind: "done" };
  const decided = beginWait(step, position, position.since ?? newestOf(world)) ?? decide(step, position);
  if (decided) return decided;
  const effect = effectOf(step.type);
  if (!effect) throw new Error(`This version cannot simulate a step of type ${step.type}`);
  return effect.simulate(ctx, arrivalAt(state, step), world);
}

function newestOf({ events, happened }: SimulatedWorld): Id {
  return events[happened - 1]?.id ?? belowAllIds;
}

function arrivalAt({ workflow, contact, taken, records }: SimulationState, step: Step): Arrival {
  const outputs: JsonObject = {};
  for (const { name, output } of records.values()) if (output) outputs[name] = output;
  const { data, events } = joinEvents(taken);
  const newest = events.at(-1);
  const event = newest
    ? { id: newest.id, name: newest.name, source: newest.source, data, publicKeys: publicKeysOf(taken) }
    : null;
  return {
    executionId: belowAllIds,
    workflow,
    contactId: contact.id,
    step,
    scope: { event, context: {}, steps: outputs },
    isPublic: taken.some(({ source }) => source === "PUBLIC"),
    causes: [],
  };
}

function isAfter(id: Id, other: Id): boolean {
  return textOf(id) > textOf(other);
}
