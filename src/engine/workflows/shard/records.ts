import { type Id, textOf } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { isActive, type StepRecord } from "../../../core/workflows/execution";
import { asId, asJson, columns } from "../../../db/rows";
import type { ShardStore, StoredExecution, StoredRecord } from "./store";

/**
 * An output with more characters than this is stored in `outputs`, because the answer of a customer's server can exceed
 * the size limit of a row. The rest of a step's record is in the row of its execution: a separate row would double what
 * a step costs.
 */
const largeFrom = 2_000;

/** Returns the records with new ones added. A step's new record replaces its earlier one. */
export function withRecords(before: StoredRecord[], more: StepRecord[]): StoredRecord[] {
  if (more.length === 0) return before;
  const ids = new Set(more.map(({ stepId }) => stepId));
  return [...before.filter(({ stepId }) => !ids.has(stepId)), ...more].toSorted((a, b) => a.ordinal - b.ordinal);
}

/** Returns a record as the execution's row stores it: without its output if that is large. */
export function inRow(record: StoredRecord): StoredRecord {
  return isLarge(record) ? { ...record, output: null, isLarge: true } : record;
}

function isLarge({ output }: StepRecord): boolean {
  return output !== null && JSON.stringify(output).length > largeFrom;
}

/** Stores those outputs that are large. */
export function saveOutputs(store: ShardStore, given: { executionId: Id; record: StepRecord }[]): void {
  for (const { executionId, record } of given) {
    if (!isLarge(record)) continue;
    store.run(
      `INSERT INTO outputs (execution_id, step_id, output) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET output = excluded.output`,
      ...[textOf(executionId), textOf(record.stepId), JSON.stringify(record.output)],
    );
  }
}

/**
 * Returns the step records of an execution, in order. When an execution is ended from outside, its current step counts
 * as skipped.
 */
export function recordsOf(store: ShardStore, execution: StoredExecution): StepRecord[] {
  const { status, exitReason, completedAt } = execution;
  const records = complete(store, [execution]).flatMap((one) => one.records);
  if (isActive(status)) return records;
  return records.map((record) =>
    record.completedAt === null
      ? { ...record, status: "SKIPPED", reason: exitReason, completedAt, scheduledFor: null }
      : record,
  );
}

/** Returns the outputs of each execution's steps, by step name. If two steps share a name, the later one counts. */
export function outputsOf(store: ShardStore, executions: StoredExecution[]): Map<Id, JsonObject> {
  return new Map(
    complete(store, executions).map(({ id, records }) => [
      id,
      Object.fromEntries(records.flatMap(({ name, output }) => (output === null ? [] : [[name, output]]))),
    ]),
  );
}

const readOutput = columns({ executionId: asId, stepId: asId, output: asJson<JsonObject>() });

/** Returns the records of executions, including their large outputs, in the order of the executions. */
function complete(store: ShardStore, executions: StoredExecution[]): { id: Id; records: StepRecord[] }[] {
  const large = executions.filter(({ records }) => records.some((record) => record.isLarge));
  const found = store.all(
    readOutput,
    "SELECT o.* FROM json_each(?) r CROSS JOIN outputs o ON o.execution_id = r.value",
    JSON.stringify(large.map(({ id }) => id)),
  );
  const outputs = new Map(found.map(({ executionId, stepId, output }) => [`${executionId}:${stepId}`, output]));
  return executions.map(({ id, records }) => ({
    id,
    records: records.map(({ isLarge: large, ...record }) =>
      large ? { ...record, output: outputs.get(`${id}:${record.stepId}`) ?? null } : record,
    ),
  }));
}
