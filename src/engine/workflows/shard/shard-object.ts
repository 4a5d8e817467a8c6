import { DurableObject } from "cloudflare:workers";
import { belowAllIds, type Id } from "../../../core/ids";
import { isActive } from "../../../core/workflows/execution";
import { cancelled } from "../../../core/workflows/machine";
import { wakeByReport } from "../../../core/workflows/wake";
import { type Context, forProject, openPlatform, type Platform } from "../../../platform/context";
import type { Env } from "../../../platform/env";
import { letOthersIn } from "../../../platform/let-others-in";
import { reasonOf } from "../../../platform/log";
import type {
  Delivery,
  ExecutionView,
  ScheduledStarts,
  Settlement,
  ShardAddress,
  StartByHand,
  StepCounts,
  Vacating,
  WorkflowShard,
} from "../../../platform/workflow-shards";
import { findProject } from "../../projects/project";
import { type Alarm, nextDue, openAlarm } from "./alarm";
import { type Cancelling, cancelling, showCancelled } from "./cancel";
import { eraseRowsOf, projectDisabled, workflowRemoved } from "./erase";
import { contextOf, viewOf } from "./execution-view";
import { type Forgetting, firstForgetting, forgetSome } from "./forget";
import { type Mirrored, mirrorThese } from "./mirror";
import { moveExecution } from "./moves";
import { endInChunks, runPasses } from "./passes";
import { askForCalls } from "./pump";
import { countsOf, dropCounts, findExecution, hasActive, hasUnmirrored, hasWork, isAnyUnmirrored } from "./rows";
import { deliverEvent, startByHand, startScheduled } from "./starts";
import { migrateShard, openStore, type ShardStore } from "./store";
import { vacateSome } from "./vacate";

const addressKey = "address";

/**
 * Holds a sixteenth of a project's executions. This object's SQLite is the source of truth; D1 has a mirror for lists
 * and sweeps. A call changes rows and sets the alarm in one synchronous step, and starts the pump, which does the rest.
 */
export class WorkflowShardObject extends DurableObject implements WorkflowShard {
  /** Opens the object's connection to the outside. Replaced in tests. */
  openPlatform: () => Platform;
  private readonly store: ShardStore;
  private readonly ownAlarm: Alarm;
  private pumping: Promise<void> | null = null;
  private failures = 0;
  /** Whether the last run of the pump used up its CPU time. */
  private isSpent = false;
  /** The number of calls in progress that cancel many executions and mirror them themselves. */
  private ending = 0;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    // These are the bindings that wrangler.toml names, as in the Worker.
    this.openPlatform = () => openPlatform(env as unknown as Env, state);
    this.store = openStore(state.storage, () => this.openPlatform().realClock().getTime());
    this.ownAlarm = openAlarm(state.storage);
    // An unused object stores nothing.
    if (this.address() !== null) migrateShard(state.storage);
    // An alarm may be lost, so every call that wakes the object sets it again.
    this.arm();
  }

  async deliver(address: ShardAddress, deliveries: Delivery[]): Promise<void> {
    this.change(address, (now) => {
      for (const delivery of deliveries) deliverEvent(this.store, delivery, now);
    });
    await this.comeToRest(address);
  }

  async start(address: ShardAddress, given: StartByHand): Promise<ExecutionView | null> {
    const started = this.change(address, (now) => startByHand(this.store, given, now));
    if (started === null) return null;
    // On a test clock the caller's next event has the same time as the start, but must still come after it.
    await this.comeToRest(address);
    return this.answer(started.id);
  }

  async startMany(address: ShardAddress, given: ScheduledStarts): Promise<void> {
    this.change(address, (now) => startScheduled(this.store, given, now));
    await this.comeToRest(address);
  }

  async settle(address: ShardAddress, { executionId, stepId, outcome }: Settlement): Promise<boolean> {
    return this.change(address, (now) => {
      const execution = findExecution(this.store, executionId);
      const position = execution && wakeByReport(execution, stepId, outcome);
      if (!execution || !position || position === execution) return false;
      moveExecution(this.store, execution, position, now);
      return true;
    });
  }

  /** Mirrors the executions first, so that an answer never shows more than a list does. */
  async get(_address: ShardAddress, ids: Id[]): Promise<ExecutionView[]> {
    if (this.address() === null) return [];
    await this.mirror(ids);
    return ids.flatMap((id) => viewOf(this.store, id) ?? []);
  }

  async contexts(_address: ShardAddress, ids: Id[]): Promise<Pick<ExecutionView, "id" | "context">[]> {
    if (this.address() === null) return [];
    return ids.flatMap((id) => {
      const execution = findExecution(this.store, id);
      return execution === null ? [] : [{ id, context: contextOf(this.store, execution) }];
    });
  }

  async countSteps(_address: ShardAddress, workflowId: Id, stepIds: Id[]): Promise<StepCounts[]> {
    return this.address() === null ? [] : countsOf(this.store, workflowId, stepIds);
  }

  async cancel(address: ShardAddress, id: Id, reason: string) {
    const wasActive = this.change(address, (now) => {
      const execution = findExecution(this.store, id);
      if (execution === null) return null;
      if (!isActive(execution.status)) return false;
      moveExecution(this.store, execution, cancelled(execution, reason, now), now);
      return true;
    });
    return wasActive === null ? null : { wasActive, execution: await this.answer(id) };
  }

  async cancelAll(address: ShardAddress, workflowId: Id | null, reason: string): Promise<number> {
    const ctx = await this.context();
    if (ctx === null) return 0;
    const now = () => address.at ?? ctx.clock().getTime();
    const ended = await this.endAll(ctx, cancelling(this.store, workflowId, reason), now);
    if (ended > 0) await this.comeToRest(address);
    return ended;
  }

  async vacate(address: ShardAddress, given: Vacating): Promise<Id | null> {
    if (this.address() === null) return null;
    // A pass that began earlier may still have the deleted steps in memory and move an execution to one.
    if (given.after === belowAllIds) await this.pumping;
    if (this.address() === null) return null;
    const last = this.change(address, (now) => vacateSome(this.store, given, now));
    await this.comeToRest(address);
    return last;
  }

  async eraseContacts(address: ShardAddress, contactIds: Id[]): Promise<void> {
    if (this.address() === null) return;
    this.change(address, (now) => eraseRowsOf(this.store, contactIds, now));
    await this.pumping;
  }

  async forgetWorkflow(address: ShardAddress, workflowId: Id): Promise<void> {
    const ctx = await this.context();
    if (ctx === null) return;
    await this.endAll(ctx, cancelling(this.store, workflowId, workflowRemoved));
    // The project may be erased in between.
    for (let next: Forgetting | null = firstForgetting; next && this.address() !== null; await letOthersIn()) {
      const from: Forgetting = next;
      next = this.change(address, () => forgetSome(this.store, workflowId, from));
    }
    if (this.address() === null) return;
    this.change(address, () => dropCounts(this.store, workflowId));
    await this.comeToRest(address);
  }

  async poke(address: ShardAddress): Promise<void> {
    // Waking every shard also wakes unused ones.
    if (this.address() === null) return;
    this.change(address, (now) => {
      // On a test clock time stands still until calls are reported, so executions ask at once in case a report was
      // lost.
      if (address.at !== undefined) askForCalls(this.store, now);
    });
    await this.comeToRest(address);
  }

  /**
   * Erases everything, because the project was deleted. On return, nothing in this object writes for the project any
   * more.
   */
  async erase(): Promise<void> {
    if (this.address() !== null) await this.clear();
    await this.pumping;
  }

  /** May run late, twice or without need. */
  override async alarm(): Promise<void> {
    this.ownAlarm.hasRung();
    await this.pump();
  }

  /** Resolves when the pump rests. */
  async rest(): Promise<void> {
    await this.pumping;
  }

  /** Writes the change, its alarm and the address in one transaction, and starts the pump without waiting for it. */
  private change<T>(address: ShardAddress, work: (now: number) => T): T {
    const isNew = this.address() === null;
    if (isNew) migrateShard(this.ctx.storage);
    const result = this.store.together(() => {
      if (isNew) this.ctx.storage.kv.put(addressKey, address);
      return work(address.at ?? this.openPlatform().clock().getTime());
    });
    const pumping = this.pump();
    this.arm();
    void pumping;
    return result;
  }

  /**
   * A caller that advances a project's test clock gets its answer only when all that its call began is done and
   * mirrored. Throws if that failed, so that the caller tries again.
   */
  private async comeToRest({ at }: ShardAddress): Promise<void> {
    if (at === undefined) return;
    do await this.pump();
    while (this.failures === 0 && !this.isSpent && (hasWork(this.store) || hasUnmirrored(this.store)));
    if (this.failures > 0 || (this.isSpent && hasWork(this.store)))
      throw new Error("Workflow executions could not continue");
  }

  /** Returns an execution after mirroring its current state. */
  private async answer(id: Id): Promise<ExecutionView> {
    await this.mirror([id]);
    const view = viewOf(this.store, id);
    if (!view) throw new Error("Execution not found right after it was changed");
    return view;
  }

  private async mirror(ids: Id[]): Promise<void> {
    const shard = this.mirrored();
    if (shard === null || !isAnyUnmirrored(this.store, ids)) return;
    const ctx = await this.context();
    if (ctx === null) return;
    await showCancelled(ctx, this.store);
    await mirrorThese(ctx, shard, ids);
  }

  private pump(): Promise<void> {
    this.pumping ??= this.work().finally(() => {
      this.pumping = null;
      this.store.deaths.rest();
      this.arm();
    });
    return this.pumping;
  }

  private async work(): Promise<void> {
    try {
      for (let isOver = this.address() === null; !isOver; ) {
        // Taken before the project is read: executions that begin after that may belong to a project enabled again.
        const ending = cancelling(this.store, null, projectDisabled);
        const ctx = await this.context();
        // The deletion of the project erases this object, but a late call has written to it since.
        if (ctx === null) return await this.clear();
        if (ctx.project.disabled) await this.endAll(ctx, ending);
        const shard = this.mirrored();
        if (shard) await runPasses(ctx, shard);
        this.isSpent = ctx.cpu.isSpent();
        // Other isolates may not know yet that the project is disabled, and may have started executions meanwhile.
        isOver = !ctx.project.disabled || this.address() === null || !hasActive(this.store);
      }
      this.failures = 0;
    } catch (error) {
      this.failures++;
      const { log } = this.openPlatform();
      log("error", "Workflow executions could not continue and will be retried", {
        ...{ ...this.address(), failures: this.failures, reason: reasonOf(error) },
      });
    }
  }

  private async endAll(ctx: Context, given: Cancelling, now = () => ctx.clock().getTime()): Promise<number> {
    const shard = this.mirrored();
    if (shard === null) return 0;
    this.ending++;
    try {
      return await endInChunks(ctx, shard, given, {
        now,
        // The project may be erased in between.
        isWanted: () => this.address() !== null,
        whenEnded: () => this.arm(),
      });
    } finally {
      this.ending--;
      this.arm();
    }
  }

  private mirrored(): Mirrored | null {
    const address = this.address();
    return address && { store: this.store, shard: address.shard };
  }

  private async clear(): Promise<void> {
    this.failures = 0;
    // Without an await in between, during which another call could write.
    await Promise.all([this.ownAlarm.delete(), this.ctx.storage.deleteAll()]);
  }

  private async context(): Promise<Context | null> {
    const address = this.address();
    if (address === null) return null;
    const platform = this.openPlatform();
    const project = await findProject(platform, address.project);
    return project && forProject(platform, project);
  }

  private address(): ShardAddress | null {
    return this.ctx.storage.kv.get<ShardAddress>(addressKey) ?? null;
  }

  /** Sets the alarm to when the object next has something to do. */
  private arm(): void {
    const address = this.address();
    // The object is unused, or was just erased.
    if (address === null) return;
    const { clock, config } = this.openPlatform();
    const at = nextDue(this.store, {
      now: clock().getTime(),
      failures: this.failures,
      isAtWork: this.pumping !== null || this.ending > 0,
      hasOwnClock: address.at !== undefined,
      executionRetentionMs: config.executionRetentionMs,
    });
    if (at !== null) this.ownAlarm.setFor(at);
  }
}
