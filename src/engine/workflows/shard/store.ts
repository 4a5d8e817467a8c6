import type { Id } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import type { ExecutionPosition, ExecutionStatus, Pause, StepRecord } from "../../../core/workflows/execution";
import type { StepOutcome } from "../../../core/workflows/outcome";
import {
  asFlag,
  asId,
  asJson,
  asNumber,
  asOneOf,
  asText,
  columns,
  orNull,
  type RawRow,
  type RowReader,
} from "../../../db/rows";
import { migrateTables } from "../../../platform/object-tables";
import type { EventSource } from "../steps/arrival";
import { type Deaths, openDeaths } from "./deaths";
import { shardMigrations, shardReadableFrom } from "./tables";

/** An execution as its object stores it. */
export interface StoredExecution extends ExecutionPosition {
  id: Id;
  workflowId: Id;
  contactId: Id;
  /** The event that last started or woke the execution. */
  eventId: Id | null;
  /** The earlier events that still contribute keys to `event.*`, oldest first; null if there are none. */
  earlier: Id[] | null;
  /** Whether events sent with a public key may also wake the execution. */
  takesPublic: boolean;
  /** Whether an event sent with a public key started or woke the execution. */
  isPublic: boolean;
  /** The records of the steps so far, in order. */
  records: StoredRecord[];
  /** The caller's input to a start by hand. */
  context: JsonObject | null;
  causes: string[];
  /** The idempotency key of the call that started the execution. */
  request: string | null;
  /** The next task of the pump: run the execution's step, or check the log for the event that it waits for. */
  needs: "step" | "log" | null;
  version: number;
  /** The number of the execution's last change, whether or not the mirror shows it yet. */
  change: number;
  startedAt: number;
  updatedAt: number;
}

/** A step's record in the row of its execution. A large output is in a row of its own, and the record says so. */
export type StoredRecord = StepRecord & { isLarge?: true };

/** An event that started or woke executions. It is stored once, and kept as long as one of them refers to it. */
export interface TakenEvent {
  id: Id;
  name: string;
  source: EventSource;
  data: JsonObject;
}

export type Value = string | number | null;

/**
 * The rows of one shard, in the SQLite of its object. Everything here is synchronous, so a caller's changes between two
 * awaits are atomic.
 */
export interface ShardStore {
  /** The real current time, even if the project has a test clock. Used by retention and idempotency keys. */
  realNow(): number;
  /** Runs a statement and reads its rows. */
  all<Row>(read: RowReader<Row>, query: string, ...values: Value[]): Row[];
  run(query: string, ...values: Value[]): void;
  /** The steps at which this object has died. */
  deaths: Deaths;
  /**
   * For each walk over the active executions that is in progress, a set of the executions that have moved and that the
   * walk has yet to return.
   */
  walks: Set<Set<Id>>;
  /** Runs several statements in one transaction. */
  together<T>(work: () => T): T;
}

export function openStore(storage: DurableObjectStorage, realNow: () => number): ShardStore {
  const exec = (query: string, values: Value[]) => storage.sql.exec(query, ...values).toArray() as RawRow[];
  return {
    realNow,
    all: (read, query, ...values) => exec(query, values).map(read),
    run: (query, ...values) => void exec(query, values),
    deaths: openDeaths(storage.kv),
    walks: new Set(),
    together: (work) => storage.transactionSync(work),
  };
}

/** Creates the tables, or migrates them to this version. */
export function migrateShard(storage: DurableObjectStorage): void {
  migrateTables(storage, shardMigrations, { readableFrom: shardReadableFrom });
}

export const readExecution: RowReader<StoredExecution> = columns({
  id: asId,
  workflowId: asId,
  contactId: asId,
  status: asOneOf<ExecutionStatus>(),
  stepId: orNull(asId),
  enteredAt: asNumber,
  ordinal: asNumber,
  pause: orNull(asOneOf<Pause>()),
  wakeAt: orNull(asNumber),
  awaits: orNull(asText),
  since: orNull(asId),
  outcome: orNull(asJson<StepOutcome>()),
  attempts: asNumber,
  exitReason: orNull(asText),
  error: orNull(asText),
  completedAt: orNull(asNumber),
  eventId: orNull(asId),
  earlier: orNull(asJson<Id[]>()),
  takesPublic: asFlag,
  isPublic: asFlag,
  records: asJson<StoredRecord[]>(),
  context: orNull(asJson<JsonObject>()),
  causes: asJson<string[]>(),
  request: orNull(asText),
  needs: orNull(asOneOf<"step" | "log">()),
  version: asNumber,
  change: asNumber,
  startedAt: asNumber,
  updatedAt: asNumber,
});

export const readEvent: RowReader<TakenEvent> = columns({
  id: asId,
  name: asText,
  source: asOneOf<EventSource>(),
  data: asJson<JsonObject>(),
});

/** A row with one number, such as a count. */
export const readNumber: RowReader<{ n: number | null }> = columns({ n: orNull(asNumber) });
export const readIdRow: RowReader<{ id: Id }> = columns({ id: asId });
