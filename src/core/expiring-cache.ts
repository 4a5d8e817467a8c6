/** Caches values for a limited time, and at most `maxEntries` of them. */
export interface ExpiringCache<V> {
  get(key: string, now: number): V | undefined;
  /** Caches the value for `ttlMs` if it is shorter than the cache's own time. */
  set(key: string, value: V, now: number, ttlMs?: number): void;
  clear(): void;
}

export function expiringCache<V>({ ttlMs, maxEntries }: { ttlMs: number; maxEntries: number }): ExpiringCache<V> {
  const entries = new Map<string, { value: V; until: number }>();
  return {
    get(key, now) {
      const entry = entries.get(key);
      return entry && now < entry.until ? entry.value : undefined;
    },
    set(key, value, now, ownTtlMs = ttlMs) {
      // A Map keeps the order of insertion, so the first key is the oldest.
      entries.delete(key);
      const oldest = entries.size >= maxEntries ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      entries.set(key, { value, until: now + Math.min(ownTtlMs, ttlMs) });
    },
    clear: () => entries.clear(),
  };
}
