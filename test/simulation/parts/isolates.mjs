import { isolateLost, Process } from "./processes.mjs";

/** The isolates in which a Worker runs, each with modules of its own. One that dies is replaced by a new one. */
export class Isolates {
  #all = [];
  /** How many have died. */
  died = 0;

  constructor(count, { load, random, faults, time }) {
    Object.assign(this, { load, random, faults, time });
    for (let opened = 0; opened < count; opened++) this.#open();
  }

  /** Draws an isolate for a request, a batch, a tick or an object. */
  one() {
    return this.#all[Math.floor(this.random() * this.#all.length)];
  }

  /** Ends the isolate that a draw names, with all that runs in it. */
  kill(draw) {
    this.#all[Math.floor(draw * this.#all.length)].process.die(isolateLost);
  }

  /** Gives all machines clocks that may differ. */
  setClocks() {
    for (const { process } of this.#all) process.skewMs = this.faults.skewMs();
  }

  #open() {
    const process = new Process({ skewMs: this.faults.skewMs() });
    const isolate = { process, worker: process.run(() => this.load(this.random)) };
    process.onDeath = () => {
      process.diedAt = this.time.now;
      this.died += 1;
      this.#all.splice(this.#all.indexOf(isolate), 1);
      this.#open();
    };
    this.#all.push(isolate);
  }
}
