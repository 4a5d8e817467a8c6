import { DatabaseSync } from "node:sqlite";

/** A class of Durable Objects. Each object has storage of its own, and an alarm of the world's time. */
export class Namespace {
  #objects = new Map();

  constructor(open, { time, trip }) {
    this.open = open;
    this.time = time;
    this.trip = trip;
  }

  idFromName(name) {
    return { name, toString: () => name };
  }

  get({ name }) {
    const object = this.#objectOf(name);
    return new Proxy(
      {},
      {
        get: (_, method) => (method === "then" ? undefined : (...given) => this.#call(object, method, given)),
      },
    );
  }

  async #call(object, method, given) {
    await this.trip();
    const result = await object.instance[method](...structuredClone(given));
    await this.trip();
    return structuredClone(result);
  }

  #objectOf(name) {
    const known = this.#objects.get(name);
    if (known) return known;
    const storage = new Storage(this.time, () => object.instance.alarm());
    const object = { storage, instance: null };
    object.instance = this.open({
      storage,
      id: { name },
      waitUntil: (work) => void Promise.resolve(work).catch(() => {}),
    });
    this.#objects.set(name, object);
    return object;
  }
}

class Storage {
  #sqlite = new DatabaseSync(":memory:");
  #values = new Map();
  #alarm = null;

  constructor(time, ring) {
    this.time = time;
    this.ring = ring;
    this.sql = { exec: (query, ...values) => this.#exec(query, values) };
    this.kv = {
      get: (key) => structuredClone(this.#values.get(key)),
      put: (key, value) => void this.#values.set(key, structuredClone(value)),
      delete: (key) => this.#values.delete(key),
    };
  }

  #exec(query, values) {
    const rows = this.#sqlite
      .prepare(query)
      .all(...values.map((value) => (typeof value === "boolean" ? Number(value) : value)));
    return { toArray: () => rows.map((row) => ({ ...row })) };
  }

  transactionSync(work) {
    const before = new Map(this.#values);
    this.#sqlite.exec("SAVEPOINT whole");
    try {
      const result = work();
      this.#sqlite.exec("RELEASE whole");
      return result;
    } catch (error) {
      this.#sqlite.exec("ROLLBACK TO whole; RELEASE whole");
      this.#values = before;
      throw error;
    }
  }

  async getAlarm() {
    return this.#alarm?.at ?? null;
  }

  async setAlarm(at) {
    await this.deleteAlarm();
    const ring = async () => {
      this.#alarm = null;
      await this.ring();
    };
    this.#alarm = { at: Number(at), id: this.time.set(ring, Number(at) - this.time.now) };
  }

  async deleteAlarm() {
    if (this.#alarm) this.time.clear(this.#alarm.id);
    this.#alarm = null;
  }

  async deleteAll() {
    this.#sqlite = new DatabaseSync(":memory:");
    this.#values.clear();
  }
}
