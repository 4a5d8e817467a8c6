/** Caches values for a limited time, and at most `maxEntries` of them. */
export interface ExpiringCache<V> {
  get(key: string, now: number): V | undefined;
  /**
   * Returns true once, to the first caller after half of a value's lifetime. That caller refreshes the value, so no
   * caller has to wait for a read of a frequently used value.
   */
  isAgeing(key: string, now: number): boolean;
  /** Caches the value, for at most `ttlMs` if that is shorter than the cache's lifetime. */
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
      // A Map keeps the order of insertion, so the first key is the oldest.
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
