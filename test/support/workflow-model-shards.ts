import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { WorkflowShardObject } from "../../src/engine/workflows/shard/shard-object";
import type { ShardAddress, WorkflowShard, WorkflowShards } from "../../src/platform/workflow-shards";
import { type Death, Killed, type Process } from "./killable";
import type { Random } from "./random";
import type { Turns } from "./workflow-model-turns";
import { shardStub, type World } from "./world";

/** What came to a shard, and when. Nobody else came in the same millisecond. */
export interface ShardCall {
  at: number;
  shard: number;
  name: keyof WorkflowShard | "alarm";
  values: unknown[];
  /** What was answered, of a call that was. */
  answer?: unknown;
  /** When it was answered, or died. */
  until?: number;
}

interface Shard {
  address: ShardAddress;
  object: WorkflowShardObject | null;
  isPumping: boolean;
  steps: number;
  death: Death | null;
  isDead: boolean;
  /** Calls that are not answered yet, by what ends them when the object dies. */
  callers: Set<() => void>;
}

/** Calls that are answered when the pump rests. */
const waitForPump: string[] = ["eraseContacts"];

/**
 * The objects of a project. Each goes on by itself after a call, in turns of its own, and may die at any step that it takes
 * outside: then nothing of it goes on, whoever called it hears an error, and the next call meets a new object over the
 * same storage.
 */
export class Shards {
  calls: ShardCall[] = [];
  deaths = 0;
  /** How many of a hundred objects die at work. */
  dying = 0;
  private shards = new Map<number, Shard>();

  constructor(
    private readonly world: World,
    private readonly random: Random,
    private readonly turns: Turns,
    private readonly takeTurn: (name: string) => Promise<void>,
    /** Sees what a step has done. */
    private readonly see: () => Promise<void>,
  ) {}

  of(process: Process): WorkflowShards {
    return {
      of: (address) =>
        new Proxy({} as WorkflowShard, {
          get:
            (_, name: keyof WorkflowShard) =>
            (...values: unknown[]) =>
              process.step(`shard ${name}`, () => this.call(address, name, values)),
        }),
    };
  }

  private shardAt(address: ShardAddress): Shard {
    const known = this.shards.get(address.shard);
    if (known) return known;
    const shard: Shard = {
      ...{ address, object: null, isPumping: false, steps: 0, death: null, isDead: false, callers: new Set() },
    };
    this.shards.set(address.shard, shard);
    return shard;
  }

  private call(address: ShardAddress, name: keyof WorkflowShard, values: unknown[]): Promise<unknown> {
    const shard = this.shardAt(address);
    return runInDurableObject(shardStub(address), async (object) => {
      this.adopt(shard, object);
      const call: ShardCall = { at: this.world.now, shard: address.shard, name, values };
      this.calls.push(call);
      // Its name says which of its methods it is, and the caller's types which values that takes.
      const method = object[name] as (...values: unknown[]) => Promise<unknown>;
      const result = this.watchPump(shard, object, () => method.apply(object, values));
      try {
        call.answer = await this.untilDead(shard, result, waitForPump.includes(name));
      } finally {
        call.until = this.world.now;
      }
      return call.answer;
    });
  }

  private async untilDead(shard: Shard, result: Promise<unknown>, isBlocked: boolean): Promise<unknown> {
    let end = () => {};
    const death = new Promise<never>((_, reject) => {
      end = () => {
        if (isBlocked) this.turns.unblock();
        else this.turns.begin();
        reject(new Killed("The object has died"));
      };
    });
    shard.callers.add(end);
    if (isBlocked) {
      this.turns.block();
      void result.finally(() => this.turns.unblock()).catch(() => {});
    }
    try {
      return await Promise.race([result, death]);
    } finally {
      shard.callers.delete(end);
    }
  }

  /** What sets the object in motion: if its pump rests, that is another thread from here on. */
  private watchPump<T>(shard: Shard, object: WorkflowShardObject, move: () => T): T {
    if (shard.isPumping) return move();
    shard.isPumping = true;
    this.turns.begin();
    const result = move();
    void object.rest().then(() => {
      shard.isPumping = false;
      this.turns.end();
    });
    return result;
  }

  private adopt(shard: Shard, object: WorkflowShardObject): void {
    if (shard.object === object) return;
    shard.object = object;
    shard.steps = 0;
    shard.death = this.random.isIn(this.dying)
      ? { atStep: 1 + this.random.below(this.random.of([4, 12])), when: this.random.of(["before", "after"]) }
      : null;
    const { platform, process } = this.world.process();
    process.step = async (_, effect) => {
      const written = process.rowsWritten;
      return this.step(shard, async () => {
        const result = await effect();
        if (process.rowsWritten > written) await this.see();
        return result;
      });
    };
    // Only one thread moves at a time, so none waits for another to do its round.
    object.openPlatform = () => ({
      ...platform,
      executionsAtOnce: Number.POSITIVE_INFINITY,
      now: new Date(this.world.now),
    });
  }

  private async step<T>(shard: Shard, effect: () => Promise<T>): Promise<T> {
    await this.takeTurn(nameOf(shard));
    shard.steps += 1;
    const isLast = shard.death?.atStep === shard.steps;
    if (isLast && shard.death?.when === "before") return this.die(shard);
    const result = await effect();
    return isLast ? this.die(shard) : result;
  }

  /** The thread that dies goes nowhere, and neither do others of the object. */
  private die(shard: Shard): Promise<never> {
    this.condemn(shard);
    this.turns.end();
    return new Promise(() => {});
  }

  private condemn(shard: Shard): void {
    this.deaths += 1;
    shard.isDead = true;
    this.turns.drop(nameOf(shard));
    for (const end of [...shard.callers]) end();
  }

  /** From now on none dies. */
  stopDying(): void {
    this.dying = 0;
    for (const shard of this.shards.values()) shard.death = null;
  }

  /** Somebody else has the next turn only when the dead are gone. */
  async bury(): Promise<void> {
    for (const shard of this.shards.values()) {
      if (!shard.isDead) continue;
      await evictDurableObject(shardStub(shard.address));
      Object.assign(shard, { isDead: false, isPumping: false, object: null });
    }
  }

  /** An object that nobody calls just now goes, and is at work perhaps. */
  evict(): string {
    const idle = [...this.shards.values()].filter(({ object, callers }) => object !== null && callers.size === 0);
    if (idle.length === 0) return "nobody";
    const shard = this.random.of(idle);
    const wasPumping = shard.isPumping;
    this.condemn(shard);
    return `${shard.address.shard}${wasPumping ? ", at work" : ""}`;
  }

  get known(): ShardAddress[] {
    return [...this.shards.values()].map(({ address }) => address);
  }

  /** The alarm of an object that is due rings, twice perhaps, or is lost. */
  async ring(address: ShardAddress, how: "once" | "twice" | "lost" = "once"): Promise<boolean> {
    const shard = this.shardAt(address);
    return runInDurableObject(shardStub(address), async (object, state) => {
      this.adopt(shard, object);
      const at = await state.storage.getAlarm();
      if (at === null || at > this.world.now) return false;
      await state.storage.deleteAlarm();
      if (how === "lost") return true;
      this.calls.push({ at: this.world.now, shard: address.shard, name: "alarm", values: [] });
      this.watchPump(shard, object, () => {
        void object.alarm();
        if (how === "twice") void object.alarm();
      });
      return true;
    });
  }
}

function nameOf({ address }: Shard): string {
  return `shard ${address.shard}`;
}
