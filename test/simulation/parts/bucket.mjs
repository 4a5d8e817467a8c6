/** An R2 bucket. */
export class Bucket {
  #files = new Map();

  constructor({ time, trip }) {
    this.time = time;
    this.trip = trip;
  }

  async put(key, content) {
    await this.trip();
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    this.#files.set(key, { bytes, uploaded: new Date(this.time.now) });
  }

  async get(key) {
    await this.trip();
    const file = this.#files.get(key);
    return file ? { arrayBuffer: async () => file.bytes.slice().buffer } : null;
  }

  async delete(keys) {
    await this.trip();
    for (const key of [keys].flat()) this.#files.delete(key);
  }

  async list({ prefix = "", startAfter = "" }) {
    await this.trip();
    const keys = [...this.#files.keys()].filter((key) => key.startsWith(prefix) && key > startAfter).sort();
    const objects = keys.slice(0, 1_000).map((key) => {
      const { bytes, uploaded } = this.#files.get(key);
      return { key, size: bytes.length, uploaded };
    });
    return { objects, truncated: keys.length > objects.length };
  }
}
