import { DurableObject } from "cloudflare:workers";
import { belowAllIds, type Id } from "../../core/ids";
import { isActive } from "../../core/workflows/execution";
import { cancelled, wakeByReport } from "../../core/workflows/machine";
import { type Context, forProject, openPlatform, type Platform } from "../../platform/context";
import type { Env } from "../../platform/env";
import { letOthersIn } from "../../platform/let-others-in";
import { reasonOf } from "../../platform/log";
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
} from "../../platform/workflow-shards";
import { findProject } from "../projects/project";
import { contextOf, viewOf } from "./execution-view";
import { type Alarm, nextDue, openAlarm } from "./shard-alarm";
import { type Cancelling, cancelling, showCancelled } from "./shard-cancel";
import { eraseRowsOf, projectDisabled, workflowRemoved } from "./shard-erase";
import { type Forgetting, firstForgetting, forgetSome } from "./shard-forget";
import { type Mirrored, mirrorThese } from "./shard-mirror";
import { moveExecution } from "./shard-moves";
import { askForCalls } from "./shard-pump";
import { endPieces, runRounds } from "./shard-rounds";
import { countsOf, dropCounts, findExecution, hasActive, hasUnmirrored, hasWork, isAnyUnmirrored } from "./shard-rows";
import { deliverEvent, startByHand, startScheduled } from "./shard-starts";
import { migrateShard, openStore, type ShardStore } from "./shard-store";
import { vacateSome } from "./shard-vacate";

const addressKey = "address";

/**
 * A sixteenth of a project's executions: this object's SQLite is the truth about them, D1 has a mirror for lists and
 * sweeps. A call changes rows and sets the alarm in one synchronous step, and starts the pump, which does the rest.
 */
export class WorkflowShardObject extends DurableObject implements WorkflowShard {
  /** What the object takes of the world. Tests put theirs in its place. */
  openPlatform: () => Platform;
  private readonly store: ShardStore;
  private readonly ownAlarm: Alarm;
  private pumping: Promise<void> | null = null;
  private failures = 0;
  /** The last run of the pump has computed all that it may. */
  private isSpent = false;
  /** Calls that cancel many, and show it themselves. */
  private ending = 0;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    // The bindings that wrangler.toml names are the Worker's own.
    this.openPlatform = () => openPlatform(env as unknown as Env, state);
    this.store = openStore(state.storage, () => this.openPlatform().realClock().getTime());
    this.ownAlarm = openAlarm(state.storage);
    // An object that nobody has used stores nothing.
    if (this.address() !== null) migrateShard(state.storage);
    // An alarm may be lost: whoever calls the object brings it back.
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
    // On a clock that stands still the caller's next event has the time of the start, and comes after it all the same.
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

  /** Nobody sees here what a list does not show yet. */
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
    // A round that began before may know the steps still, and bring somebody there.
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
    // Whoever wakes all shards wakes those that nobody has used, too.
    if (this.address() === null) return;
    this.change(address, (now) => {
      // Time stands still until calls are heard of: whose report was lost asks at once.
      if (address.at !== undefined) askForCalls(this.store, now);
    });
    await this.comeToRest(address);
  }

  /** Erases everything, because the project was deleted. When it comes back, nobody here writes for the project any more. */
  async erase(): Promise<void> {
    if (this.address() !== null) await this.clear();
    await this.pumping;
  }

  /** It may come late, twice, or for nothing. */
  override async alarm(): Promise<void> {
    this.ownAlarm.hasRung();
    await this.pump();
  }

  /** Comes back when the pump rests. */
  async rest(): Promise<void> {
    await this.pumping;
  }

  /** A change, the alarm after it and the address are written as one. Then the pump goes on by itself. */
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
   * Whoever moves a project's own clock goes on when all is done that a call has begun, and the mirror shows it. Throws
   * when that did not succeed: the caller tries again.
   */
  private async comeToRest({ at }: ShardAddress): Promise<void> {
    if (at === undefined) return;
    do await this.pump();
    while (this.failures === 0 && !this.isSpent && (hasWork(this.store) || hasUnmirrored(this.store)));
    if (this.failures > 0 || (this.isSpent && hasWork(this.store)))
      throw new Error("Executions of workflows could not go on");
  }

  /** An execution whose mirror shows it as it is now. */
  private async answer(id: Id): Promise<ExecutionView> {
    await this.mirror([id]);
    const view = viewOf(this.store, id);
    if (!view) throw new Error("An execution is gone that was just changed");
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
        // What begins after the project was asked for may begin in an enabled one.
        const ending = cancelling(this.store, null, projectDisabled);
        const ctx = await this.context();
        // Its deletion erases the object, and whoever came later has left something in it.
        if (ctx === null) return await this.clear();
        if (ctx.project.disabled) await this.endAll(ctx, ending);
        const shard = this.mirrored();
        if (shard) await runRounds(ctx, shard);
        this.isSpent = ctx.cpu.isSpent();
        // Others may not know yet that the project is disabled, and have started executions meanwhile.
        isOver = !ctx.project.disabled || this.address() === null || !hasActive(this.store);
      }
      this.failures = 0;
    } catch (error) {
      this.failures++;
      const { log } = this.openPlatform();
      log("error", "Executions of workflows could not go on, and are tried again", {
        ...{ ...this.address(), failures: this.failures, reason: reasonOf(error) },
      });
    }
  }

  private async endAll(ctx: Context, given: Cancelling, now = () => ctx.clock().getTime()): Promise<number> {
    const shard = this.mirrored();
    if (shard === null) return 0;
    this.ending++;
    try {
      return await endPieces(ctx, shard, given, {
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
    // Without an await in between, in which somebody could write.
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

  /** Sets the alarm for the next that is to do. */
  private arm(): void {
    const address = this.address();
    // It was never used, or has just been erased.
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
