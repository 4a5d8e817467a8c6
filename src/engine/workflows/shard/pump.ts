import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import type { ShardAddress } from "../../../platform/workflow-shards";
import { nextDue } from "./alarm";
import { type Cancelling, cancelling, endInChunks } from "./cancel";
import { hasUnmirrored } from "./changes";
import { projectDisabled } from "./erase";
import type { ShardHome } from "./home";
import { runPasses } from "./passes";
import { endDue, showSleeping } from "./sleep";
import { hasActive, hasWork } from "./work";

/**
 * Moves the executions of a shard until all of them rest, one run at a time. Then sets the alarm for the next due work.
 */
export class Pump {
  private running: Promise<void> | null = null;
  private failures = 0;
  /** Why the last run failed. */
  private failure: unknown = null;
  /** Whether the last run used up its CPU time. */
  private isSpent = false;
  /** The number of calls in progress that cancel many executions. Each such call also mirrors what it cancels. */
  private ending = 0;
  /** Whether the shard still sleeps although the last run found its project enabled. */
  private isWaking = false;

  constructor(private readonly home: ShardHome) {}

  /** Starts a run, or joins the one in progress. */
  run(): Promise<void> {
    this.running ??= this.work().finally(() => {
      this.running = null;
      this.home.store.deaths.rest();
      this.arm();
    });
    return this.running;
  }

  /** Resolves when the run in progress ends; at once if there is none. */
  async rest(): Promise<void> {
    await this.running;
  }

  /**
   * Waits, if the project has a test clock, until everything that the call began is done and mirrored. Throws if that
   * failed, so that the caller tries again.
   */
  async comeToRest({ at }: ShardAddress): Promise<void> {
    if (at === undefined) return;
    const { store } = this.home;
    do await this.run();
    while (
      this.failures === 0 &&
      !this.isSpent &&
      this.home.sleep() !== "filling" &&
      (hasWork(store) || hasUnmirrored(store))
    );
    if (this.failures > 0 || (this.isSpent && hasWork(store)))
      throw new Error("Workflow executions could not continue", { cause: this.failure });
  }

  /**
   * Whether the shard sleeps according to its stored state. That state may be out of date, so a call that finds the
   * shard asleep also asks `isAsleep`.
   */
  get sleeps(): boolean {
    return isSleeping(this.home);
  }

  /**
   * Reports whether the shard sleeps, after waking it if its project was enabled. First waits for the run in progress:
   * that run may have read the project before it was enabled, and would leave the shard asleep.
   */
  async isAsleep(): Promise<boolean> {
    await this.rest();
    await this.run();
    return this.sleeps;
  }

  /** Ends executions in chunks and mirrors them. Returns how many ended. */
  async endAll(ctx: Context, given: Cancelling, now = () => ctx.clock().getTime()): Promise<number> {
    const shard = this.home.mirrored();
    if (shard === null) return 0;
    this.ending++;
    try {
      return await endInChunks(ctx, shard, given, {
        now,
        // The project may be erased between two chunks.
        isWanted: () => this.home.address() !== null,
        whenEnded: () => this.arm(),
      });
    } finally {
      this.ending--;
      this.arm();
    }
  }

  /** Erases the object. Earlier failures no longer count. */
  async clear(): Promise<void> {
    this.failures = 0;
    this.isWaking = false;
    await this.home.clear();
  }

  /** Sets the alarm for the time when the object next has something to do. */
  arm(): void {
    const address = this.home.address();
    if (address === null) return;
    const { clock, config } = this.home.openPlatform();
    const at = nextDue(this.home.store, {
      now: clock().getTime(),
      isFilling: this.home.sleep() === "filling",
      isWaking: this.isWaking,
      failures: this.failures,
      isAtWork: this.running !== null || this.ending > 0,
      hasOwnClock: address.at !== undefined,
      executionRetentionMs: config.executionRetentionMs,
    });
    if (at !== null) this.home.alarm.setFor(at);
  }

  private async work(): Promise<void> {
    const { home } = this;
    try {
      for (let isOver = home.address() === null; !isOver; ) {
        // The newest execution is noted before the project is read, because executions that begin later may belong to a
        // project that was enabled again.
        const ending = cancelling(home.store, null, projectDisabled);
        const ctx = await home.context();
        // The project was deleted. Its deletion erased this object, but a late call wrote to it afterwards.
        if (ctx === null) return await this.clear();
        if (home.sleep() === "filling") break;
        if (this.sleeps) {
          await this.sleep(ctx);
          isOver = ctx.project.disabled || this.isSpent;
          continue;
        }
        if (ctx.project.disabled && hasActive(home.store)) await this.endAll(ctx, ending);
        const shard = home.mirrored();
        if (shard) await runPasses(ctx, shard);
        this.isSpent = ctx.cpu.isSpent();
        // Other isolates may not know yet that the project is disabled, and may have started executions meanwhile.
        isOver = !ctx.project.disabled || home.address() === null || !hasActive(home.store);
      }
      this.failures = 0;
      this.failure = null;
    } catch (error) {
      this.failures++;
      this.failure = error;
      const { log } = home.openPlatform();
      log("error", "Workflow executions could not continue and will be retried", {
        ...{ ...home.address(), failures: this.failures, reason: reasonOf(error) },
      });
    }
  }

  /** Ends due executions in a shard that sleeps. The shard is awake afterwards if its project is enabled. */
  private async sleep(ctx: Context): Promise<void> {
    const { home } = this;
    await endDue(ctx, home.store);
    const shard = home.mirrored();
    if (shard) await showSleeping(ctx, shard);
    this.isSpent = ctx.cpu.isSpent();
    this.isWaking = !ctx.project.disabled && this.isSpent && home.address() !== null;
    if (!ctx.project.disabled && !this.isSpent && home.address() !== null) home.setSleep("awake");
  }
}

function isSleeping(home: ShardHome): boolean {
  const sleep = home.sleep();
  return sleep === "filling" || sleep === "asleep";
}
