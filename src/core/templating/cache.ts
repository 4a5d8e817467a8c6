/** A Worker has 128 MB for everything. */
const MAX_BYTES = 16_000_000;

/** Keeps what was made from a text, dropping what was used longest ago when all of it together takes too much memory. */
export class TextCache<T> {
  readonly #entries = new Map<string, { value: T; bytes: number }>();
  #bytes = 0;

  constructor(private readonly bytesOf: (text: string) => number) {}

  getOrMake(text: string, make: () => T): T {
    const entry = this.#take(text) ?? { value: make(), bytes: this.bytesOf(text) };
    this.#entries.set(text, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
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
