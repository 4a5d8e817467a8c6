import { DurableObject } from "cloudflare:workers";
import type { Id } from "../../../core/ids";
import { isActive } from "../../../core/workflows/execution";
import { cancelled } from "../../../core/workflows/machine";
import type { Platform } from "../../../platform/context";
import type { Env } from "../../../platform/env";
import { letOthersIn } from "../../../platform/let-others-in";
import { openPlatform } from "../../../platform/open-platform";
import type {
  Delivery,
  ExecutionView,
  ScheduledStarts,
  Settlement,
  ShardAddress,
  ShardCursor,
  ShardRow,
  StartByHand,
  StepCounts,
  Vacating,
  WorkflowShard,
} from "../../../platform/workflow-shards";
import { askForCalls } from "./ask-for-calls";
import { cancelling, showCancelled } from "./cancel";
import { isAnyUnmirrored } from "./changes";
import { eraseRowsOf, workflowRemoved } from "./erase";
import { contextOf, viewOf } from "./execution-view";
import { exportSome } from "./export";
import { type Forgetting, firstForgetting, forgetSome } from "./forget";
import { ShardHome } from "./home";
import { importRows } from "./import";
import { mirrorAgain, mirrorThese } from "./mirror";
import { moveExecution } from "./moves";
import { Pump } from "./pump";
import { findExecution } from "./rows";
import { settleCall } from "./settle-call";
import { deliverEvent, startByHand, startScheduled } from "./starts";
import { countsOf, dropCounts } from "./step-counts";
import { vacateSome } from "./vacate";

/**
 * Holds a sixteenth of a project's executions. This object's SQLite is the source of truth; D1 has a mirror for lists
 * and sweeps. A call changes rows and sets the alarm in one synchronous step, and starts the pump, which does the rest.
 */
export class WorkflowShardObject extends DurableObject implements WorkflowShard {
  /** Opens the object's access to databases and queues. Replaced in tests. */
  openPlatform: () => Platform;
  private readonly home: ShardHome;
  private readonly pump: Pump;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    // The cast is safe, because these are the bindings that wrangler.toml names, as in the Worker.
    this.openPlatform = () => openPlatform(env as unknown as Env, state);
    this.home = new ShardHome(state.storage, () => this.openPlatform());
    this.pump = new Pump(this.home);
    // An alarm may be lost, so every call that wakes the object sets it again.
    this.pump.arm();
  }

  async deliver(address: ShardAddress, deliveries: Delivery[]): Promise<void> {
    if (this.pump.sleeps && (await this.pump.isAsleep())) return;
    this.change(address, (now) => {
      for (const delivery of deliveries) deliverEvent(this.home.store, delivery, now);
    });
    await this.pump.comeToRest(address);
  }

  async start(address: ShardAddress, given: StartByHand): Promise<ExecutionView | null> {
    if (this.pump.sleeps && (await this.pump.isAsleep())) return null;
    const started = this.change(address, (now) => startByHand(this.home.store, given, now));
    if (started === null) return null;
    // On a test clock, the start must be done before the answer: the caller's next event has the same time as the
    // start, but must come after it.
    await this.pump.comeToRest(address);
    return this.answer(started.id);
  }

  async startMany(address: ShardAddress, given: ScheduledStarts): Promise<void> {
    if (this.pump.sleeps && (await this.pump.isAsleep())) return;
    this.change(address, (now) => startScheduled(this.home.store, given, now));
    await this.pump.comeToRest(address);
  }

  async settle(address: ShardAddress, settlement: Settlement): Promise<boolean> {
    return this.change(address, (now) => settleCall(this.home.store, settlement, now));
  }

  /** Mirrors the executions first, so that an answer never shows a newer state than a list does. */
  async get(_address: ShardAddress, ids: Id[]): Promise<ExecutionView[]> {
    if (this.home.address() === null) return [];
    await this.mirror(ids);
    return ids.flatMap((id) => viewOf(this.home.store, id) ?? []);
  }

  async contexts(_address: ShardAddress, ids: Id[]): Promise<Pick<ExecutionView, "id" | "context">[]> {
    if (this.home.address() === null) return [];
    return ids.flatMap((id) => {
      const execution = findExecution(this.home.store, id);
      return execution === null ? [] : [{ id, context: contextOf(this.home.store, execution) }];
    });
  }

  async countSteps(_address: ShardAddress, workflowId: Id, stepIds: Id[]): Promise<StepCounts[]> {
    return this.home.address() === null ? [] : countsOf(this.home.store, workflowId, stepIds);
  }

  async cancel(address: ShardAddress, id: Id, reason: string) {
    const wasActive = this.change(address, (now) => {
      const execution = findExecution(this.home.store, id);
      if (execution === null) return null;
      if (!isActive(execution.status)) return false;
      moveExecution(this.home.store, execution, cancelled(execution, reason, now), now);
      return true;
    });
    return wasActive === null ? null : { wasActive, execution: await this.answer(id) };
  }

  async cancelAll(address: ShardAddress, workflowId: Id | null, reason: string): Promise<number> {
    const ctx = await this.home.context();
    if (ctx === null) return 0;
    // A restored project that was never enabled is disabled already, so its waiting executions are not ended.
    if (workflowId === null && this.pump.sleeps && (await this.pump.isAsleep())) return 0;
    const now = () => address.at ?? ctx.clock().getTime();
    const ended = await this.pump.endAll(ctx, cancelling(this.home.store, workflowId, reason), now);
    if (ended > 0) await this.pump.comeToRest(address);
    return ended;
  }

  async vacate(address: ShardAddress, given: Vacating): Promise<string | null> {
    if (this.home.address() === null) return null;
    // An earlier pass must end first: it may have the deleted steps in memory, and move an execution to one of them.
    if (given.after === "") await this.pump.rest();
    if (this.home.address() === null) return null;
    const next = this.change(address, (now) => vacateSome(this.home.store, given, now));
    await this.pump.comeToRest(address);
    return next;
  }

  async eraseContacts(address: ShardAddress, contactIds: Id[]): Promise<void> {
    if (this.home.address() === null) return;
    this.change(address, (now) => eraseRowsOf(this.home.store, contactIds, now));
    await this.pump.rest();
  }

  async forgetWorkflow(address: ShardAddress, workflowId: Id): Promise<void> {
    const ctx = await this.home.context();
    if (ctx === null) return;
    await this.pump.endAll(ctx, cancelling(this.home.store, workflowId, workflowRemoved));
    let next: Forgetting | null = this.home.forgetting(workflowId) ?? firstForgetting;
    // The project may be erased between two windows.
    for (; next && this.home.address() !== null; await letOthersIn()) {
      const from: Forgetting = next;
      next = this.change(address, () => {
        const cursor = forgetSome(this.home.store, workflowId, from);
        this.home.setForgetting(workflowId, cursor);
        return cursor;
      });
    }
    if (this.home.address() === null) return;
    this.change(address, () => dropCounts(this.home.store, workflowId));
    await this.pump.comeToRest(address);
  }

  async show(_address: ShardAddress, mirrored: { id: Id; version: number }[]): Promise<Id[]> {
    // While a restore fills the shard, its rows are not there yet.
    if (this.home.sleep() === "filling") return [];
    const shard = this.home.mirrored();
    if (shard === null) return mirrored.map(({ id }) => id);
    const ctx = await this.home.context();
    return ctx === null ? [] : mirrorAgain(ctx, shard, mirrored);
  }

  async poke(address: ShardAddress): Promise<void> {
    // Waits, because a run that read the project before it was enabled would leave the shard asleep.
    if (this.pump.sleeps) await this.pump.rest();
    // A caller that wakes all shards also reaches unused ones.
    if (this.home.address() === null) return;
    this.change(address, (now) => {
      // On a test clock, time stands still until all calls are reported. A report may have been lost, so the executions
      // ask for the outcomes at once.
      if (address.at !== undefined) askForCalls(this.home.store, now);
    });
    await this.pump.comeToRest(address);
  }

  /**
   * Erases everything, because the project was deleted. On return, nothing in this object still writes for the project.
   */
  async erase(): Promise<void> {
    if (this.home.address() !== null) await this.pump.clear();
    await this.pump.rest();
  }

  async exportRows(_address: ShardAddress, from: ShardCursor | null) {
    return this.home.address() === null ? { rows: [], next: null } : exportSome(this.home.store, from);
  }

  async importRows(address: ShardAddress, rows: ShardRow[], isLast: boolean): Promise<string | null> {
    const { home } = this;
    const isOver = home.sleep() === "asleep" || home.sleep() === "awake";
    if (isOver) return null;
    const fault = home.change(address, () => {
      home.setSleep("filling");
      const found = importRows(home.store, rows);
      if (found === null && isLast) home.setSleep("asleep");
      return found;
    });
    // If the project was deleted before this call, the alarm finds that and clears the object.
    this.pump.arm();
    if (isLast) await this.poke(address);
    return fault;
  }

  /** Runs the pump. The platform can call this late, twice or needlessly. */
  override async alarm(): Promise<void> {
    this.home.alarm.hasRung();
    await this.pump.run();
  }

  /** Resolves when the pump rests. */
  async rest(): Promise<void> {
    await this.pump.rest();
  }

  /** Writes the change, its alarm and the address in one transaction, and starts the pump without waiting for it. */
  private change<T>(address: ShardAddress, work: (now: number) => T): T {
    const result = this.home.change(address, work);
    const pumping = this.pump.run();
    this.pump.arm();
    void pumping;
    return result;
  }

  /** Returns an execution after mirroring its current state. */
  private async answer(id: Id): Promise<ExecutionView> {
    await this.mirror([id]);
    const view = viewOf(this.home.store, id);
    if (!view) throw new Error("Execution not found right after it was changed");
    return view;
  }

  private async mirror(ids: Id[]): Promise<void> {
    const shard = this.home.mirrored();
    if (shard === null || !isAnyUnmirrored(this.home.store, ids)) return;
    const ctx = await this.home.context();
    if (ctx === null) return;
    await showCancelled(ctx, this.home.store);
    await mirrorThese(ctx, shard, ids);
  }
}
