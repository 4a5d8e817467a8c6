/** An R2 bucket. */
export class Bucket {
  #files = new Map();

  constructor({ time, trip, faults, boundary, limits }) {
    Object.assign(this, { time, trip, faults, boundary, limits });
  }

  /** The contents of all files, seen from outside of the world. */
  get contents() {
    return [...this.#files.values()].map(({ bytes }) => Buffer.from(bytes).toString());
  }

  #travel(work) {
    return this.boundary(async () => {
      await this.trip();
      const fault = this.faults.ofFile();
      if (fault !== null && !fault.commits) throw new Error(fault.message);
      const result = work();
      await this.trip();
      if (fault !== null) throw new Error(fault.message);
      return result;
    });
  }

  async put(key, content) {
    this.limits.checkFiles([key]);
    const bytes = new Uint8Array(await new Response(content).arrayBuffer());
    return this.#travel(() => void this.#files.set(key, { bytes, uploaded: new Date(this.time.now) }));
  }

  get(key) {
    return this.#travel(() => {
      const file = this.#files.get(key);
      return file ? { arrayBuffer: async () => file.bytes.slice().buffer } : null;
    });
  }

  delete(keys) {
    this.limits.checkFiles([keys].flat());
    return this.#travel(() => {
      for (const key of [keys].flat()) this.#files.delete(key);
    });
  }

  list({ prefix = "", startAfter = "" }) {
    return this.#travel(() => this.#list(prefix, startAfter));
  }

  #list(prefix, startAfter) {
    const keys = [...this.#files.keys()].filter((key) => key.startsWith(prefix) && key > startAfter).sort();
    const objects = keys.slice(0, 1_000).map((key) => {
      const { bytes, uploaded } = this.#files.get(key);
      return { key, size: bytes.length, uploaded };
    });
    return { objects, truncated: keys.length > objects.length };
  }
}
