import { isJsonObject, type JsonObject } from "../../core/json";
import { joinEvents, publicKeysOf } from "../../core/workflows/joined-events";
import type { Step } from "../../core/workflows/step";
import type { Arrival } from "./arrival";
import type { LiveWorkflow } from "./live";
import { eventsOf, outputsOf } from "./shard-rows";
import type { ShardStore, StoredExecution } from "./shard-store";

/**
 * Of the events that are in memory at once for a round, and travel as parameters: as many as a batch of an effect takes. The
 * rounds of several shards share the memory of an isolate.
 */
const maxRoundCharacters = 1024 * 1024;

/** An execution at a step that it cannot leave without an effect, or without asking the log. */
export interface Standing {
  execution: StoredExecution;
  workflow: LiveWorkflow;
  step: Step;
}

/** The arrivals with all that templates and conditions can name, in pieces that fit into memory. */
export function* chunksByEvents(
  store: ShardStore,
  group: Standing[],
): Generator<{ standing: Standing; arrival: Arrival }[]> {
  let piece: { standing: Standing; arrival: Arrival }[] = [];
  let characters = 0;
  const outputs = outputsOf(
    store,
    group.map(({ execution }) => execution.id),
  );
  for (const standing of group) {
    const arrival = arrivalOf(store, standing, outputs.get(standing.execution.id) ?? {});
    const size = JSON.stringify(arrival.scope).length;
    if (piece.length > 0 && characters + size > maxRoundCharacters) {
      yield piece;
      piece = [];
      characters = 0;
    }
    piece.push({ standing, arrival });
    characters += size;
  }
  if (piece.length > 0) yield piece;
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

/** The event that last started or woke the execution, with what those before it and a start by hand have said as well. */
export function eventOf(store: ShardStore, execution: StoredExecution): Arrival["scope"]["event"] {
  const taken = eventsOf(store, execution);
  const newest = taken.at(-1);
  if (newest === undefined) return null;
  const given = execution.context?.event;
  const { data } = joinEvents(taken);
  return { ...newest, data: { ...(isJsonObject(given) && given), ...data }, publicKeys: publicKeysOf(taken) };
}
