import { setImmediate as afterMicrotasks } from "node:timers";

const mostTimersASecond = 100_000;

/**
 * Virtual time. Nothing waits for real: when no code can go on by itself, the clock jumps to the next timer. Timers of one
 * instant fire in the order in which they were set.
 */
export class Time {
  #moved = { at: 0, fired: 0 };
  #timers = [];
  #nextId = 1;
  /** Calls that leave the event loop, such as those of WebCrypto. */
  #open = 0;
  #last = Promise.resolve();

  constructor(now) {
    this.now = now;
  }

  set(work, ms) {
    const timer = { id: this.#nextId++, at: this.now + Math.max(0, ms || 0), work };
    const place = this.#timers.findLastIndex(({ at }) => at <= timer.at);
    this.#timers.splice(place + 1, 0, timer);
    return timer.id;
  }

  clear(id) {
    const place = this.#timers.findIndex((timer) => timer.id === id);
    if (place >= 0) this.#timers.splice(place, 1);
  }

  wait(ms) {
    return new Promise((resolve) => this.set(resolve, ms));
  }

  /** Keeps the clock still while a real call is open, and gives its results in the order of the calls. */
  async hold(call) {
    this.#open += 1;
    const before = this.#last;
    const result = call();
    this.#last = Promise.allSettled([before, result]);
    try {
      await before;
      return await result;
    } finally {
      this.#open -= 1;
    }
  }

  async #untilQuiet() {
    for (let quiet = 0; quiet < 2; quiet = this.#open === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => afterMicrotasks(resolve));
    }
  }

  /** Goes on until the promise is settled. */
  async until(promise) {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    for (;;) {
      await this.#untilQuiet();
      if (isSettled) return settled;
      if (!this.#fireNext(Number.POSITIVE_INFINITY)) throw new Error("Nothing will ever happen again");
    }
  }

  /** Lets time pass. */
  async pass(ms) {
    const end = this.now + ms;
    do await this.#untilQuiet();
    while (this.#fireNext(end));
    this.now = end;
  }

  /** Finds work that goes in circles while no time passes. */
  #count() {
    if (this.now - this.#moved.at >= 1_000) this.#moved = { at: this.now, fired: 0 };
    this.#moved.fired += 1;
    if (this.#moved.fired > mostTimersASecond) throw new Error("Time stands still");
  }

  #fireNext(end) {
    const [next] = this.#timers;
    if (next === undefined || next.at > end) return false;
    this.#timers.shift();
    this.now = Math.max(this.now, next.at);
    this.#count();
    next.work();
    return true;
  }
}
