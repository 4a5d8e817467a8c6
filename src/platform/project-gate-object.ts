import { DurableObject } from "cloudflare:workers";
import { type BucketState, isCallersOwn, type Level, type Rate, takeFromAll } from "../core/bucket";
import { abandonedAfterMs, type Claim, type KeyEffect, type KeyUse } from "../core/idempotency";
import { minuteMs, secondMs } from "../core/time";
import { gateMigrations, gateReadableFrom } from "./gate-tables";
import { migrateTables } from "./object-tables";

/** A request at the gate: the buckets from which it takes tokens, and the key that it claims. */
export interface Admission {
  buckets: { name: string; rate: Rate }[];
  key: (KeyUse & { owner: string; ttlMs: number }) | null;
}

export interface Admitted {
  /** Null when the request takes from no bucket. */
  rate: ({ isAllowed: boolean } & BucketState) | null;
  /** Null when no key was given, or the rate limit refused the request first. */
  claim: Claim | null;
}

/**
 * The result of the request that owns a key. If that request found in the database that an earlier request had already
 * used the key, the result contains the whole record of the earlier request, so that the key keeps its original time
 * and expiry.
 */
export type Answered = Pick<KeyEffect, "status" | "response"> & Partial<KeyEffect>;

const levelsKey = "levels";
const maxCallers = 10_000;
const expiredPerStep = 10_000;

/**
 * The token buckets of one project, or a sixteenth of its idempotency keys: see `gate.ts`. Each method is one
 * synchronous step, so exactly one of a hundred requests with the same key claims it.
 */
export class ProjectGateObject extends DurableObject {
  private levels: Record<string, Level>;
  private levelsStoredAt = 0;
  private hasTables = false;
  /**
   * Levels of network addresses and people, least recently used first. They are only in memory, and there are at most
   * `maxCallers` of them.
   */
  private callers = new Map<string, Level>();

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as Cloudflare.Env);
    this.makeTables();
    // Levels are stored because a bucket with a rate per minute may not be full again when an idle object is evicted. A
    // bucket with a rate per second is full by then.
    this.levels = ctx.storage.kv.get<Record<string, Level>>(levelsKey) ?? {};
  }

  /** Takes a token from each bucket. Then claims the key, if one is given and the rate allows the request. */
  async admit({ buckets, key }: Admission): Promise<Admitted> {
    const now = Date.now();
    const rate = buckets.length > 0 ? this.take(buckets, now) : null;
    if (key === null || rate?.isAllowed === false) return { rate, claim: null };
    return { rate, claim: this.claim(key, now) };
  }

  /** Stores the answer of the request that owns the key. Does nothing if another request has taken the key over. */
  async complete(key: string, owner: string, answered: Answered): Promise<void> {
    const { status, response, request = null, hash = null, atMs = null, expiresAtMs = null } = answered;
    this.sql(
      `UPDATE idempotency_keys SET status = ?, response = ?, request = coalesce(?, request), hash = coalesce(?, hash),
        at = coalesce(?, at), expires_at = coalesce(?, expires_at) WHERE key = ? AND owner = ?`,
      ...[status, response, request, hash, atMs, expiresAtMs, key, owner],
    );
  }

  /** Releases the key of a request that had no effect, so that another request may use it. */
  async release(key: string, owner: string): Promise<void> {
    this.sql("DELETE FROM idempotency_keys WHERE key = ? AND owner = ? AND status IS NULL", key, owner);
  }

  /** Erases everything, because the project was deleted. */
  async erase(): Promise<void> {
    await this.ctx.storage.deleteAll();
    Object.assign(this, { levels: {}, levelsStoredAt: 0, hasTables: false });
  }

  /** Removes up to `expiredPerStep` expired keys, and sets the alarm for the next ones. */
  override async alarm(): Promise<void> {
    this.sql(
      `DELETE FROM idempotency_keys WHERE key IN (SELECT key FROM idempotency_keys WHERE expires_at <= ?
        ORDER BY expires_at LIMIT ?)`,
      Date.now(),
      expiredPerStep,
    );
    const [next] = this.sql("SELECT min(expires_at) AS at FROM idempotency_keys");
    if (typeof next?.at === "number")
      await this.ctx.storage.setAlarm(Math.max(roundedUp(next.at), Date.now() + secondMs));
  }

  private take(wanted: Admission["buckets"], now: number): Admitted["rate"] {
    const levelOf = (name: string) => (isCallersOwn(name) ? this.callers.get(name) : this.levels[name]);
    const buckets = wanted.map(({ name, rate }) => ({ name, rate, level: levelOf(name) }));
    const { isAllowed, levels, tightest } = takeFromAll(buckets, now);
    for (const [name, level] of Object.entries(levels)) {
      if (isCallersOwn(name)) this.noteCaller(name, level);
      else this.levels[name] = level;
    }
    if (now - this.levelsStoredAt >= secondMs) {
      this.levelsStoredAt = now;
      this.ctx.storage.kv.put(levelsKey, this.levels);
    }
    return { isAllowed, ...tightest };
  }

  private noteCaller(name: string, level: Level): void {
    this.callers.delete(name);
    this.callers.set(name, level);
    const [idlest] = this.callers.keys();
    if (this.callers.size > maxCallers && idlest !== undefined) this.callers.delete(idlest);
  }

  private claim({ key, owner, request, hash, ttlMs }: NonNullable<Admission["key"]>, now: number): Claim {
    this.sql("DELETE FROM idempotency_keys WHERE key = ? AND expires_at <= ?", key, now);
    const [known] = this.sql(
      "SELECT owner, request, hash, at, claimed_at, status, response FROM idempotency_keys WHERE key = ?",
      key,
    );
    if (!known) {
      this.sql(
        "INSERT INTO idempotency_keys (key, owner, request, hash, at, claimed_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...[key, owner, request, hash, now, now, now + ttlMs],
      );
      this.wakeAt(now + ttlMs);
      return { kind: "claimed" };
    }
    // The same owner has called again, because the answer to its first call was lost.
    if (known.owner === owner) return { kind: "claimed" };
    const original = {
      request: String(known.request),
      hash: String(known.hash),
      atMs: Number(known.at),
      status: known.status === null ? null : Number(known.status),
      response: known.response === null ? null : String(known.response),
    };
    const isAbandoned = original.status === null && now - Number(known.claimed_at) >= abandonedAfterMs;
    if (!isAbandoned) return { kind: "taken", original };
    this.sql(
      "UPDATE idempotency_keys SET owner = ?, request = ?, hash = ?, claimed_at = ? WHERE key = ?",
      ...[owner, request, hash, now, key],
    );
    return { kind: "inherited", original };
  }

  /**
   * Sets one alarm for all keys, at the earliest expiry. A late alarm does no harm, because every read checks the
   * expiry too.
   */
  private wakeAt(expiresAt: number): void {
    this.ctx.waitUntil(this.setAlarmUnlessSet(roundedUp(expiresAt)));
  }

  private async setAlarmUnlessSet(at: number): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(at);
  }

  private makeTables(): void {
    migrateTables(this.ctx.storage, gateMigrations, { readableFrom: gateReadableFrom });
    this.hasTables = true;
  }

  private sql(query: string, ...values: SqlStorageValue[]): Record<string, SqlStorageValue>[] {
    // A request that was running when the project was erased may still call this object, which then has no tables.
    if (!this.hasTables) this.makeTables();
    return this.ctx.storage.sql.exec(query, ...values).toArray();
  }
}

function roundedUp(atMs: number): number {
  return Math.ceil(atMs / minuteMs) * minuteMs;
}
