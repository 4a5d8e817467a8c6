import type { Id } from "../core/ids";
import type { JsonObject } from "../core/json";
import type { ExecutionStatus, StepRecord } from "../core/workflows/execution";
import type { StepOutcome } from "../core/workflows/outcome";
import type { NamedObjects } from "./objects";

/**
 * The address of the object that stores a sixteenth of a project's executions. The object learns from the address which
 * one it is.
 */
export interface ShardAddress {
  project: number;
  shard: number;
  /** The current time of a project with a test clock. Shards of such a project never wake by themselves. */
  at?: number;
}

/** An event for a shard. `starts` contains the workflows that the event was to start when it was committed. */
export interface Delivery {
  event: { id: Id; name: string; source: "PUBLIC" | "API" | "SYSTEM"; data: JsonObject };
  contactId: Id;
  /** Whether a public key sent or caused the event. */
  isPublic: boolean;
  causes: string[];
  starts: { workflowId: Id; allowReentry: boolean }[];
}

/** A start requested by an API call. `request` lets a repeat of the call within `ttlMs` find the first execution. */
export interface StartByHand {
  workflowId: Id;
  contactId: Id;
  allowReentry: boolean;
  context: JsonObject | null;
  request: { key: string; ttlMs: number } | null;
}

/** Starts of a scheduled workflow: each contact starts once per tick. A tick is a time in milliseconds since 1970. */
export interface ScheduledStarts {
  workflowId: Id;
  contactIds: Id[];
  allowReentry: boolean;
  tick: number;
}

export interface Settlement {
  executionId: Id;
  stepId: Id;
  outcome: StepOutcome;
}

/** Deleted steps of a workflow. Executions at these steps continue at the step `to`, or end when `to` is null. */
export interface Vacating {
  workflowId: Id;
  stepIds: Id[];
  to: Id | null;
  /** Where to continue: the answer of the previous call. Empty in the first call. */
  after: string;
}

/** An execution, as its object returns it. */
export interface ExecutionView {
  id: Id;
  workflowId: Id;
  contactId: Id;
  status: ExecutionStatus;
  currentStepId: Id | null;
  exitReason: string | null;
  error: string | null;
  /**
   * The context that the caller gave. Its key `event` contains the data of the event that last started or woke the
   * execution.
   */
  context: JsonObject;
  startedAt: number;
  completedAt: number | null;
  updatedAt: number;
  steps: StepRecord[];
}

/** The counts of a step over the executions of one shard. */
export interface StepCounts {
  stepId: Id;
  entered: number;
  /** The number of executions that are at the step now. */
  waiting: number;
  completed: number;
  failed: number;
  skipped: number;
  /** How many executions took each branch. Branches that no execution took are left out. */
  branches: { branch: string; count: number }[];
}

/** A row of a shard for a backup: the name of its table, and its columns. */
export interface ShardRow {
  table: string;
  row: Record<string, string | number | null>;
}

/** The position at which the export of a shard continues: a table, and the key after which its next rows begin. */
export interface ShardCursor {
  table: string;
  after: string[];
}

/** The methods of a shard. Each call may be repeated: a repeat has no further effect. */
export interface WorkflowShard {
  deliver(address: ShardAddress, deliveries: Delivery[]): Promise<void>;
  /** Starts an execution. Returns null when the workflow does not let the contact enter again. */
  start(address: ShardAddress, given: StartByHand): Promise<ExecutionView | null>;
  startMany(address: ShardAddress, given: ScheduledStarts): Promise<void>;
  /**
   * Settles a step. Returns false if the execution is active but does not wait at this step, because it has left the
   * step or has not reached it yet.
   */
  settle(address: ShardAddress, settlement: Settlement): Promise<boolean>;
  get(address: ShardAddress, ids: Id[]): Promise<ExecutionView[]>;
  /** Returns only the contexts. A list must not read the results of steps, which may be a megabyte per execution. */
  contexts(address: ShardAddress, ids: Id[]): Promise<Pick<ExecutionView, "id" | "context">[]>;
  /** Counts the given steps, except those that no execution entered. */
  countSteps(address: ShardAddress, workflowId: Id, stepIds: Id[]): Promise<StepCounts[]>;
  /** Cancels an execution. Returns whether it was active; null when there is no such execution. */
  cancel(
    address: ShardAddress,
    id: Id,
    reason: string,
  ): Promise<{ wasActive: boolean; execution: ExecutionView } | null>;
  /** Cancels the active executions of a workflow, or of all workflows. Returns their number. */
  cancelAll(address: ShardAddress, workflowId: Id | null, reason: string): Promise<number>;
  /**
   * Moves executions away from deleted steps, a limited number per call. Returns where to continue, or null at the end.
   */
  vacate(address: ShardAddress, given: Vacating): Promise<string | null>;
  eraseContacts(address: ShardAddress, contactIds: Id[]): Promise<void>;
  /** Deletes everything about a deleted workflow: its executions, the contacts that entered it, and its counts. */
  forgetWorkflow(address: ShardAddress, workflowId: Id): Promise<void>;
  /**
   * Mirrors executions again if the mirror has an older version, even if the newer one was mirrored before. Returns the
   * executions that the shard does not know.
   */
  show(address: ShardAddress, mirrored: { id: Id; version: number }[]): Promise<Id[]>;
  /** Wakes executions that are due. */
  poke(address: ShardAddress): Promise<void>;
  erase(): Promise<void>;
  /** Returns the next rows for a backup: executions with everything that belongs to them. `next` is null at the end. */
  exportRows(address: ShardAddress, from: ShardCursor | null): Promise<{ rows: ShardRow[]; next: ShardCursor | null }>;
  /**
   * Inserts rows of a backup into an unused shard. The shard then sleeps until its project is enabled. Returns what is
   * wrong with the rows; null when nothing is.
   */
  importRows(address: ShardAddress, rows: ShardRow[], isLast: boolean): Promise<string | null>;
}

/** The shards of all projects. */
export interface WorkflowShards {
  of(address: ShardAddress): WorkflowShard;
}

export function openWorkflowShards(objects: NamedObjects<undefined>): WorkflowShards {
  return {
    of: (address) => {
      // A stub stays broken after one failure, so each attempt creates a new one. The binding's class,
      // WorkflowShardObject, implements the interface, but this floor cannot import the class.
      const open = () => objects.get(objects.idFromName(nameOf(address))) as unknown as ShardMethods;
      const call = async (name: keyof WorkflowShard, values: unknown[]) => {
        try {
          return await open()[name](...values);
        } catch (error) {
          if (!repeatable.has(name) || !isReset(error)) throw error;
          return open()[name](...values);
        }
      };
      const methods: ProxyHandler<WorkflowShard> = {
        get:
          (_, name: keyof WorkflowShard) =>
          (...values: unknown[]) =>
            call(name, values),
      };
      // Every property that is accessed is a method of the interface.
      return new Proxy({} as WorkflowShard, methods);
    },
  };
}

type ShardMethods = Record<keyof WorkflowShard, (...values: unknown[]) => Promise<unknown>>;

/**
 * Methods that are called again when their answer was lost, because the second call gives the same answer. A second
 * `cancel`, by contrast, would answer that the execution was not active.
 */
const repeatable: ReadonlySet<keyof WorkflowShard> = new Set([
  "deliver",
  "start",
  "startMany",
  "get",
  "contexts",
  "countSteps",
  "vacate",
  "eraseContacts",
  "forgetWorkflow",
  "show",
  "poke",
  "exportRows",
  "importRows",
]);

/**
 * Reports whether the object was reset, perhaps during the call: a new version was deployed, or its machine was lost.
 */
function isReset(error: unknown): boolean {
  return error instanceof Error && /reset because its code was updated|Network connection lost/.test(error.message);
}

export function nameOf({ project, shard }: ShardAddress): string {
  return `${project}:${shard}`;
}
