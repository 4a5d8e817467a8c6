import { runInDurableObject } from "cloudflare:test";
import { asId, textOf } from "../../src/core/ids";
import type { StepRecord } from "../../src/core/workflows/execution";
import { viewOf } from "../../src/engine/workflows/shard/execution-view";
import { openStore } from "../../src/engine/workflows/shard/store";
import type { Play } from "./workflow-model-play";
import { shardStub } from "./world";

/** A step of an execution, as its object keeps it, and tells it: who stood there when it ended has skipped it. */
export interface StepRow {
  step_id: string;
  ordinal: number;
  type: string;
  name: string;
  status: string;
  output: string | null;
  branch: string | null;
  reason: string | null;
  error: string | null;
  started_at: number;
  completed_at: number | null;
  scheduled_for: number | null;
}

export interface ExecutionRow {
  id: string;
  workflow_id: string;
  contact_id: string;
  status: string;
  step_id: string | null;
  wake_at: number | null;
  awaits: string | null;
  exit_reason: string | null;
  error: string | null;
  completed_at: number | null;
  event_id: string | null;
  context: string | null;
  causes: string;
  version: number;
  started_at: number;
  updated_at: number;
  shard: number;
  steps: StepRow[];
  /** The events that its object keeps for it, oldest first. */
  taken: { id: string; data: Record<string, unknown> }[];
}

export function isOver({ status }: Pick<ExecutionRow, "status">): boolean {
  return status !== "RUNNING" && status !== "WAITING";
}

/** The events that objects keep. */
export async function readKeptEvents({ shards }: Play): Promise<string[]> {
  const found = shards.known.map((address) =>
    runInDurableObject(shardStub(address), (_, { storage: { sql } }) => {
      const isUsed = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'events'").toArray().length > 0;
      return isUsed ? sql.exec<{ id: string }>("SELECT id FROM events").toArray() : [];
    }),
  );
  return (await Promise.all(found)).flat().map(({ id }) => id);
}

function stepRowOf(record: StepRecord): StepRow {
  const { stepId, ordinal, type, name, status, output, branch, reason, error } = record;
  return {
    ...{
      step_id: textOf(stepId),
      ordinal,
      type,
      name,
      status,
      output: output && JSON.stringify(output),
      branch,
      reason,
    },
    ...{ error, started_at: record.startedAt, completed_at: record.completedAt, scheduled_for: record.scheduledFor },
  };
}

/** All executions of a play, from the objects themselves. */
export async function readExecutions({ shards }: Play): Promise<ExecutionRow[]> {
  const found = shards.known.map((address) =>
    runInDurableObject(shardStub(address), (_, { storage }) => {
      const rows = <Row>(query: string) => storage.sql.exec(query).toArray() as Row[];
      const isUsed = rows<{ n: number }>("SELECT count(*) AS n FROM sqlite_master WHERE name = 'executions'")[0]?.n;
      if (!isUsed) return [];
      const events = rows<{ id: string; data: string }>("SELECT id, data FROM events");
      return rows<Omit<ExecutionRow, "shard" | "steps" | "taken"> & { earlier: string | null }>(
        "SELECT * FROM executions ORDER BY id",
      ).map(({ earlier, ...row }): ExecutionRow => {
        const ids: (string | null)[] = [...JSON.parse(earlier ?? "[]"), row.event_id];
        const taken = ids.flatMap((id) => events.find((event) => event.id === id) ?? []);
        const steps = viewOf(openStore(storage, Date.now), asId(row.id))?.steps ?? [];
        return {
          ...row,
          shard: address.shard,
          steps: steps.map(stepRowOf),
          taken: taken.map(({ id, data }) => ({ id, data: JSON.parse(data) })),
        };
      });
    }),
  );
  return (await Promise.all(found)).flat();
}
