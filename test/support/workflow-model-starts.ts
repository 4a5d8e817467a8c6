import type { ModelWorkflow } from "./workflow-model-graph";
import type { Play } from "./workflow-model-play";
import { type ExecutionRow, isOver } from "./workflow-model-rows";
import type { ShardCall } from "./workflow-model-shards";
import type { ModelEvent } from "./workflow-model-timeline";

/** An execution, and the event that started it. */
export interface Started {
  row: ExecutionRow;
  event: ModelEvent | null;
}

const maxCauses = 5;
const minuteMs = 60_000;

/** The workflows that an event starts, by what was enabled when it was committed. */
function startedBy({ before, name, isPublic, causes, contactId }: ModelEvent): string[] {
  if (contactId === null || causes.length > maxCauses) return [];
  const hears = ({ id, enabled, eventName, publicEvents }: ModelWorkflow) =>
    enabled && eventName === name && (!isPublic || publicEvents) && !causes.includes(id);
  return [...before.workflows.values()].filter(hears).map(({ id }) => id);
}

/**
 * Goes through what came to the objects, in the order in which it came, and says which executions there must be. Returns
 * those that there are, with what started them.
 */
export function checkStarts(play: Play, rows: ExecutionRow[], faults: string[]): Started[] {
  const { timeline, shards } = play;
  for (const event of timeline.events) {
    const [expected, found] = [startedBy(event), event.starts].map((ids) => ids.toSorted().join());
    if (expected !== found) faults.push(`${event.at} ${event.name} says that it starts ${found}, and not ${expected}`);
  }
  const starts = new Starts(play, rows, faults);
  const delivered = new Set<string>();
  for (const call of shards.calls) {
    if (call.name === "start") starts.byHand(call);
    for (const event of call.name === "deliver" ? eventsOf(play, call) : []) {
      if (!delivered.has(event.id)) starts.byEvent(call, event);
      delivered.add(event.id);
    }
  }
  for (const event of timeline.events) {
    if (startedBy(event).length > 0 && !delivered.has(event.id)) faults.push(`${event.at} ${event.name} was not heard`);
  }
  for (const row of rows) {
    if (!starts.found.has(row)) faults.push(`${row.started_at} execution ${row.id} was started by nobody`);
  }
  return [...starts.found].map(([row, event]) => ({ row, event }));
}

export function eventsOf({ timeline }: Play, { values }: ShardCall): ModelEvent[] {
  // A call of `deliver` takes the address and the deliveries.
  const deliveries = values[1] as { event: { id: unknown } }[];
  return deliveries.flatMap(({ event }) => timeline.events.find(({ id }) => id === event.id) ?? []);
}

class Starts {
  found = new Map<ExecutionRow, ModelEvent | null>();
  /** When an event of a public key last started the workflow for the contact. */
  private publicAt = new Map<string, number[]>();

  constructor(
    private readonly play: Play,
    private readonly rows: ExecutionRow[],
    private readonly faults: string[],
  ) {}

  byEvent(call: ShardCall, event: ModelEvent): void {
    for (const workflowId of startedBy(event)) {
      const contactId = event.contactId ?? "";
      const key = `${workflowId} ${contactId}`;
      const near = (this.publicAt.get(key) ?? []).some((at) => Math.abs(at - event.at) < minuteMs);
      const isTooSoon = event.isPublic && near;
      const row = this.expect(call, { workflowId, contactId, since: event.at, isRefused: isTooSoon }, event);
      if (row && event.isPublic) this.publicAt.set(key, [event.at]);
    }
  }

  byHand(call: ShardCall): void {
    const { workflowId, contactId } = call.values[1] as { workflowId: string; contactId: string };
    const row = this.expect(call, { workflowId, contactId, since: call.at - 50, isRefused: false }, null);
    if (call.answer !== undefined && (call.answer !== null) !== (row !== null))
      this.faults.push(`${call.at} a start by hand was answered otherwise than it is`);
  }

  /** Nobody comes in twice at once, nor a second time where that is not allowed. */
  private expect(
    call: ShardCall,
    {
      workflowId,
      contactId,
      since,
      isRefused,
    }: Record<"workflowId" | "contactId", string> & { since: number; isRefused: boolean },
    event: ModelEvent | null,
  ): ExecutionRow | null {
    const { timeline } = this.play;
    const ofBoth = this.rows.filter((row) => row.workflow_id === workflowId && row.contact_id === contactId);
    const row = ofBoth.find((one) => one.started_at === call.at && !this.found.has(one)) ?? null;
    // One call may bring several events.
    const earlier = ofBoth.filter(
      (one) => one.started_at < call.at || (one.started_at === call.at && this.found.has(one)),
    );
    const moments = timeline.between(since, call.at);
    const reentry = new Set(moments.map(({ workflows }) => workflows.get(workflowId)?.allowReentry ?? false));
    const isAlive = (one: ExecutionRow) => !isOver(one) || (one.completed_at ?? 0) > call.at;
    const mayBeAlive = (one: ExecutionRow) => isAlive(one) || one.completed_at === call.at;
    const must = !isRefused && (earlier.length === 0 || (!reentry.has(false) && !earlier.some(mayBeAlive)));
    const may = !isRefused && (earlier.length === 0 || (reentry.has(true) && !earlier.some(isAlive)));
    // Of whom is gone nothing is remembered.
    const isThere = moments.every(({ contacts }) => contacts.has(contactId));
    const what = `${call.at} ${event ? `${event.name} of ${event.at}` : "a start by hand"} of workflow ${this.play.workflowIds.indexOf(workflowId)}`;
    if (isThere && must && !row) this.faults.push(`${what} started nothing`);
    if (isThere && !may && row) this.faults.push(`${what} started ${row.id}`);
    if (row) this.found.set(row, event);
    return row;
  }
}
