import { Process } from "./processes.mjs";
import { ObjectStorage } from "./storage.mjs";

/** An object without calls for this long may lose its memory. */
const idleMs = 10_000;

/**
 * A class of Durable Objects. Each object has storage that outlives its memory, and an alarm of the world's time. An
 * object is opened in some isolate, with the first call or alarm after its last memory was lost.
 */
export class Namespace {
  #objects = new Map();

  /** `open` makes an instance in an isolate: `{ isolate, make(ctx) }`. */
  constructor(open, { time, trip, faults, boundary, limits }) {
    Object.assign(this, { open, time, trip, faults, boundary, limits });
  }

  /** What all objects of this class have stored, seen from outside of the world. */
  get contents() {
    return [...this.#objects.values()].flatMap(({ storage }) => storage.contents);
  }

  /** The rows of a table of all objects of this class. */
  rows(table) {
    return [...this.#objects.values()].flatMap(({ storage }) => storage.rows(table));
  }

  idFromName(name) {
    return { name, toString: () => name };
  }

  get({ name }) {
    return new Proxy(
      {},
      {
        get: (_, method) =>
          method === "then" ? undefined : (...given) => this.boundary(() => this.#call(name, method, given)),
      },
    );
  }

  async #call(name, method, given) {
    const sent = structuredClone(given);
    await this.trip();
    const object = this.#objectOf(name);
    const { process, instance } = this.#opened(object);
    const result = await process.serve(() => instance[method](...sent));
    process.idleSince = this.time.now;
    await this.trip();
    return structuredClone(result);
  }

  #objectOf(name) {
    const known = this.#objects.get(name);
    if (known) return known;
    const object = { name, opened: null, storage: null };
    object.storage = new ObjectStorage({ ...this, ring: () => this.#ring(object) });
    this.#objects.set(name, object);
    return object;
  }

  #opened(object) {
    const { opened, storage } = object;
    if (opened && !opened.process.isDead && !this.#evicts(object)) return opened;
    const { isolate, make } = this.open();
    const process = new Process({ parent: isolate, beforeLeaving: () => storage.sync() });
    process.onDeath = () => storage.rollBack();
    process.idleSince = this.time.now;
    const waitUntil = (work) => void Promise.resolve(work).catch(() => {});
    const instance = process.run(() => make({ storage, id: { name: object.name }, waitUntil }));
    object.opened = { process, instance };
    return object.opened;
  }

  #evicts({ storage, opened: { process } }) {
    if (!process.isIdle || this.time.now - process.idleSince < idleMs) return false;
    if (!this.faults.happens("objectIsEvicted")) return false;
    storage.commit();
    process.die("The object was evicted.");
    return true;
  }

  async #ring(object) {
    const { process, instance } = this.#opened(object);
    await process.serve(() => instance.alarm());
    process.idleSince = this.time.now;
  }
}
