import { type Id, textOf } from "../../../core/ids";
import { type Context, forProject, type Platform } from "../../../platform/context";
import type { ShardAddress } from "../../../platform/workflow-shards";
import { findProject } from "../../projects/project";
import { type Alarm, openAlarm } from "./alarm";
import type { Forgetting } from "./forget";
import type { Mirrored } from "./mirror";
import type { Sleep } from "./sleep";
import { migrateShard, openStore, type ShardStore } from "./store";

const addressKey = "address";
const sleepKey = "sleep";
const forgettingKey = (workflowId: Id) => `forgetting:${textOf(workflowId)}`;

/** An object of a shard as it is stored: its rows, its alarm, and its address while it is used. */
export class ShardHome {
  readonly store: ShardStore;
  readonly alarm: Alarm;

  constructor(
    private readonly storage: DurableObjectStorage,
    readonly openPlatform: () => Platform,
  ) {
    this.store = openStore(storage, () => this.openPlatform().realClock().getTime());
    this.alarm = openAlarm(storage);
    // An unused object stores nothing, so it has no tables to migrate.
    if (this.address() !== null) migrateShard(storage);
  }

  /** Returns the object's address; null if the object is unused, or was just erased. */
  address(): ShardAddress | null {
    return this.storage.kv.get<ShardAddress>(addressKey) ?? null;
  }

  mirrored(): Mirrored | null {
    const address = this.address();
    return address && { store: this.store, shard: address.shard };
  }

  /** Returns a context for the object's project; null if the object is unused, or the project is deleted. */
  async context(): Promise<Context | null> {
    const address = this.address();
    if (address === null) return null;
    const platform = this.openPlatform();
    const project = await findProject(platform, address.project);
    return project && forProject(platform, project);
  }

  /** Writes a change in one transaction, together with the address if the object is unused. */
  change<T>(address: ShardAddress, work: (now: number) => T): T {
    const isNew = this.address() === null;
    if (isNew) migrateShard(this.storage);
    return this.store.together(() => {
      if (isNew) this.storage.kv.put(addressKey, address);
      return work(address.at ?? this.openPlatform().clock().getTime());
    });
  }

  /** Returns the sleep state of the shard; null if no restore has filled the shard. */
  sleep(): Sleep | null {
    return this.storage.kv.get<Sleep>(sleepKey) ?? null;
  }

  setSleep(sleep: Sleep): void {
    this.storage.kv.put(sleepKey, sleep);
  }

  /** Returns the cursor at which the interrupted deletion of a workflow continues; null if none was interrupted. */
  forgetting(workflowId: Id): Forgetting | null {
    return this.storage.kv.get<Forgetting>(forgettingKey(workflowId)) ?? null;
  }

  setForgetting(workflowId: Id, cursor: Forgetting | null): void {
    if (cursor === null) this.storage.kv.delete(forgettingKey(workflowId));
    else this.storage.kv.put(forgettingKey(workflowId), cursor);
  }

  async clear(): Promise<void> {
    // Both deletions start together, because another call could write during an await between them.
    await Promise.all([this.alarm.delete(), this.storage.deleteAll()]);
  }
}
