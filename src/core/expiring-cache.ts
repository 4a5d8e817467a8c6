/** Caches values for a limited time, and at most `maxEntries` of them. */
export interface ExpiringCache<V> {
  get(key: string, now: number): V | undefined;
  /**
   * Returns true once for each value: to the first caller that asks after half of the value's lifetime. That caller
   * must refresh the value, so that other callers of a frequently used value never wait for a new one.
   */
  isAgeing(key: string, now: number): boolean;
  /** Caches a value for the cache's own lifetime, or for `ttlMs` if that is shorter. */
  set(key: string, value: V, now: number, ttlMs?: number): void;
  delete(key: string): void;
  clear(): void;
}

export function expiringCache<V>({ ttlMs, maxEntries }: { ttlMs: number; maxEntries: number }): ExpiringCache<V> {
  const entries = new Map<string, { value: V; until: number; refreshAt: number }>();
  return {
    get(key, now) {
      const entry = entries.get(key);
      return entry && now < entry.until ? entry.value : undefined;
    },
    isAgeing(key, now) {
      const entry = entries.get(key);
      if (!entry || now < entry.refreshAt) return false;
      entry.refreshAt = Number.POSITIVE_INFINITY;
      return true;
    },
    set(key, value, now, ownTtlMs = ttlMs) {
      // Deleted first, so that the entry moves to the end: a Map keeps the order of insertion, and its first key is the
      // oldest.
      entries.delete(key);
      const oldest = entries.size >= maxEntries ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      const livesMs = Math.min(ownTtlMs, ttlMs);
      entries.set(key, { value, until: now + livesMs, refreshAt: now + livesMs / 2 });
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
