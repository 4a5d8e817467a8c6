import type { Id } from "../core/ids";
import type { JsonObject } from "../core/json";
import type { ExecutionStatus, StepRecord } from "../core/workflows/execution";
import type { Outcome } from "../core/workflows/outcome";
import type { NamedObjects } from "./objects";

/** An object that keeps a sixteenth of a project's executions, and knows by this who it is. */
export interface ShardAddress {
  project: number;
  shard: number;
  /** The time of a project with its own clock, at the call. Its shards wake nothing by themselves. */
  at?: number;
}

/** An event for a shard, with the workflows that it starts as of its commit. */
export interface Delivery {
  event: { id: Id; name: string; source: "PUBLIC" | "API" | "SYSTEM"; data: JsonObject };
  contactId: Id;
  /** A public key has sent or caused it. */
  isPublic: boolean;
  causes: string[];
  starts: { workflowId: Id; allowReentry: boolean }[];
}

/** A start by hand. `request` makes a call that is repeated within that time find its first execution. */
export interface StartByHand {
  workflowId: Id;
  contactId: Id;
  allowReentry: boolean;
  context: JsonObject | null;
  request: { key: string; ttlMs: number } | null;
}

/** Starts of a scheduled workflow: each contact once for each tick, in milliseconds since 1970. */
export interface ScheduledStarts {
  workflowId: Id;
  contactIds: Id[];
  allowReentry: boolean;
  tick: number;
}

export interface Settlement {
  executionId: Id;
  stepId: Id;
  outcome: Outcome;
}

/** Steps of a workflow that are gone. Whoever stands there goes on at the step `to`, or ends when it is null. */
export interface Vacating {
  workflowId: Id;
  stepIds: Id[];
  to: Id | null;
  /** The execution behind which to go on. */
  after: Id;
}

/** An execution as its object answers it. */
export interface ExecutionView {
  id: Id;
  workflowId: Id;
  contactId: Id;
  status: ExecutionStatus;
  currentStepId: Id | null;
  exitReason: string | null;
  error: string | null;
  /** What the caller gave, and under `event` the data of the event that last started or woke it. */
  context: JsonObject;
  startedAt: number;
  completedAt: number | null;
  updatedAt: number;
  steps: StepRecord[];
}

/** What became of the executions of one shard that came to a step. */
export interface StepCounts {
  stepId: Id;
  entered: number;
  /** Those who stand there now. */
  waiting: number;
  completed: number;
  failed: number;
  skipped: number;
  /** How many took each branch, of those branches that anybody took. */
  branches: { branch: string; count: number }[];
}

/** The calls of a shard. Each may be repeated: a repeat has no further effect. */
export interface WorkflowShard {
  deliver(address: ShardAddress, deliveries: Delivery[]): Promise<void>;
  /** Null when the workflow does not let the contact enter again. */
  start(address: ShardAddress, given: StartByHand): Promise<ExecutionView | null>;
  startMany(address: ShardAddress, given: ScheduledStarts): Promise<void>;
  /** Whether the execution still waited for it. */
  settle(address: ShardAddress, settlement: Settlement): Promise<boolean>;
  get(address: ShardAddress, ids: Id[]): Promise<ExecutionView[]>;
  /** The contexts alone, for a list: what the steps came to may be a megabyte of each execution. */
  contexts(address: ShardAddress, ids: Id[]): Promise<Pick<ExecutionView, "id" | "context">[]>;
  /** Of those of the steps that anybody came to. */
  countSteps(address: ShardAddress, workflowId: Id, stepIds: Id[]): Promise<StepCounts[]>;
  /** Whether it was active; null when there is no such execution. */
  cancel(
    address: ShardAddress,
    id: Id,
    reason: string,
  ): Promise<{ wasActive: boolean; execution: ExecutionView } | null>;
  /** Ends the active executions of a workflow, or of all: returns their number. */
  cancelAll(address: ShardAddress, workflowId: Id | null, reason: string): Promise<number>;
  /** Takes some executions off steps that are gone. Returns the last one that it has looked at, null at the end. */
  vacate(address: ShardAddress, given: Vacating): Promise<Id | null>;
  eraseContacts(address: ShardAddress, contactIds: Id[]): Promise<void>;
  /** Forgets a workflow that is gone: its executions, who entered it, and what it counted. */
  forgetWorkflow(address: ShardAddress, workflowId: Id): Promise<void>;
  /** Wakes what is due. */
  poke(address: ShardAddress): Promise<void>;
  erase(): Promise<void>;
}

/** The shards of all projects. */
export interface WorkflowShards {
  of(address: ShardAddress): WorkflowShard;
}

export function openWorkflowShards(objects: NamedObjects<undefined>): WorkflowShards {
  return {
    of: (address) => {
      // A stub stays broken after one failure, so each try gets a new one. The binding's class, WorkflowShardObject,
      // implements the interface; this floor does not know the class.
      const open = () => objects.get(objects.idFromName(nameOf(address))) as unknown as Methods;
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
      // Every property that is read is a method of the interface.
      return new Proxy({} as WorkflowShard, methods);
    },
  };
}

type Methods = Record<keyof WorkflowShard, (...values: unknown[]) => Promise<unknown>>;

/** Calls whose repeat has the same answer, too. The answers of the others say what was so before. */
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
  "poke",
]);

/** The object went away, perhaps in the middle of the call: a new version was deployed, or its machine was lost. */
function isReset(error: unknown): boolean {
  return error instanceof Error && /reset because its code was updated|Network connection lost/.test(error.message);
}

export function nameOf({ project, shard }: ShardAddress): string {
  return `${project}:${shard}`;
}
