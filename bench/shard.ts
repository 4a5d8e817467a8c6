import { WorkflowShardObject as Shard } from "../src/engine/workflows/shard/shard-object";
import type { Env } from "../src/platform/env";
import { openPlatform } from "../src/platform/open-platform";
import type { Delivery, ShardAddress } from "../src/platform/workflow-shards";
import { metered, noteWritten, spent } from "./meter";

/** How far the shards are ahead of the real time, so that delays end when the bench wants them to. */
export const time = { aheadMs: 0 };

/**
 * Milliseconds from the delivery of events until everything that they started or woke has come to rest, mirror
 * included.
 */
export const delivered: number[] = [];

/** The product's shard, with a meter around its storage and bindings, and a clock that can be moved forward. */
export class WorkflowShardObject extends Shard {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    watch(state.storage);
    super(state, env);
    const clock = () => new Date(Date.now() + time.aheadMs);
    this.openPlatform = () => ({
      ...openPlatform(metered(env as unknown as Env), state),
      ...{ now: clock(), clock },
    });
  }

  override async deliver(address: ShardAddress, deliveries: Delivery[]): Promise<void> {
    const startedAt = performance.now();
    await super.deliver(address, deliveries);
    void this.rest().then(() => delivered.push(performance.now() - startedAt));
  }

  override async poke(address: ShardAddress): Promise<void> {
    await super.poke(address);
    // An alarm that was set before the clock was moved would only ring at the real time.
    await this.ctx.storage.setAlarm(Date.now() + time.aheadMs);
  }

  /** Returns the number of stored bytes. */
  async size(): Promise<number> {
    return this.ctx.storage.sql.databaseSize;
  }
}

/** Counts the rows of an object's statements, and times its transactions, during which nobody else has a turn. */
function watch(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const transactionSync = storage.transactionSync.bind(storage);
  const setAlarm = storage.setAlarm.bind(storage);
  const exec = (query: string, ...values: unknown[]) => {
    const startedAt = performance.now();
    const cursor = sql.exec(query, ...values);
    // The product reads every cursor to its end.
    const toArray = () => {
      const rows = cursor.toArray();
      spent.objectRowsRead += cursor.rowsRead;
      spent.objectRowsWritten += cursor.rowsWritten;
      noteWritten(query, cursor.rowsWritten, "shard’s ");
      note(performance.now() - startedAt);
      return rows;
    };
    return { toArray };
  };
  let depth = 0;
  function note(ms: number): void {
    if (depth > 0) return;
    spent.objectMs += ms;
    spent.longestObjectMs = Math.max(spent.longestObjectMs, ms);
  }
  Object.defineProperties(storage, {
    sql: {
      value: new Proxy(sql, {
        get: (_, name) => (name === "exec" ? exec : Reflect.get(sql, name)),
      }),
    },
    transactionSync: {
      value: <T>(work: () => T): T => {
        const startedAt = performance.now();
        depth++;
        try {
          return transactionSync(work);
        } finally {
          depth--;
          note(performance.now() - startedAt);
        }
      },
    },
    setAlarm: {
      value: (at: number) => {
        // An alarm is charged as one row.
        spent.objectRowsWritten += 1;
        return setAlarm(at - time.aheadMs);
      },
    },
  });
}
