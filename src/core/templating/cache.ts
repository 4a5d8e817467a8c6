/** The maximum size of a cache in bytes, unless the cache sets another limit. A Worker has 128 MB in total. */
const MAX_BYTES = 16_000_000;

/** Caches results by their source text, and drops the least recently used when they take too much memory. */
export class TextCache<T> {
  readonly #entries = new Map<string, { value: T; bytes: number }>();
  #bytes = 0;

  constructor(
    private readonly bytesOf: (text: string) => number,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  getOrMake(text: string, make: () => T): T {
    const entry = this.#take(text) ?? { value: make(), bytes: this.bytesOf(text) };
    this.#entries.set(text, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) break;
      this.#take(oldest);
    }
    return entry.value;
  }

  #take(text: string): { value: T; bytes: number } | undefined {
    const entry = this.#entries.get(text);
    this.#entries.delete(text);
    this.#bytes -= entry?.bytes ?? 0;
    return entry;
  }
}
