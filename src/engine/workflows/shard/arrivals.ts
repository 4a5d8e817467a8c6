import { isJsonObject, type JsonObject } from "../../../core/json";
import type { StepRecord } from "../../../core/workflows/execution";
import { joinEvents, publicKeysOf } from "../../../core/workflows/joined-events";
import type { Step } from "../../../core/workflows/step";
import type { Arrival } from "../steps/arrival";
import type { LiveWorkflow } from "./live";
import { outputsOf } from "./records";
import { eventsOf } from "./rows";
import type { ShardStore, StoredExecution } from "./store";

/**
 * The maximum total length, in characters, of the event data and other values that a pass holds in memory at once. One
 * batch of an effect takes as much. Passes of several shards share the memory of an isolate.
 */
const maxPassCharacters = 1024 * 1024;

/**
 * An execution at a step that it cannot leave without an effect or a look into the event log. The steps that it passed
 * on the way there may not be stored yet. They are stored with its next move or, if the object dies first, passed
 * again.
 */
export interface Standing {
  /** The execution as it is stored. */
  read: StoredExecution;
  execution: StoredExecution;
  /** The records of the steps that the execution has passed since it was read. */
  passed: StepRecord[];
  workflow: LiveWorkflow;
  step: Step;
}

/** Yields the arrivals with everything that templates and conditions can name, in chunks that fit into memory. */
export function* chunksByEvents(
  store: ShardStore,
  group: Standing[],
): Generator<{ standing: Standing; arrival: Arrival }[]> {
  let chunk: { standing: Standing; arrival: Arrival }[] = [];
  let characters = 0;
  const outputs = outputsOf(
    store,
    group.map(({ execution }) => execution),
  );
  for (const standing of group) {
    const arrival = arrivalOf(store, standing, outputs.get(standing.execution.id) ?? {});
    const size = JSON.stringify(arrival.scope).length;
    if (chunk.length > 0 && characters + size > maxPassCharacters) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push({ standing, arrival });
    characters += size;
  }
  if (chunk.length > 0) yield chunk;
}

function arrivalOf(store: ShardStore, { execution, workflow, step }: Standing, outputs: JsonObject): Arrival {
  return {
    executionId: execution.id,
    workflow: { id: workflow.id, name: workflow.name, linkBase: workflow.linkBase },
    contactId: execution.contactId,
    step,
    scope: { event: eventOf(store, execution), context: execution.context ?? {}, steps: outputs },
    isPublic: execution.isPublic,
    causes: execution.causes,
  };
}

/**
 * Returns the event that last started or woke the execution. The event's data is joined with the data of earlier events
 * and of a start by hand.
 */
export function eventOf(store: ShardStore, execution: StoredExecution): Arrival["scope"]["event"] {
  const taken = eventsOf(store, execution);
  const newest = taken.at(-1);
  if (newest === undefined) return null;
  const given = execution.context?.event;
  const { data } = joinEvents(taken);
  return { ...newest, data: { ...(isJsonObject(given) && given), ...data }, publicKeys: publicKeysOf(taken) };
}
