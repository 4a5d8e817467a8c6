import { isolateLost, Process } from "./processes.mjs";

/** The isolates in which a Worker runs, each with modules of its own. One that dies is replaced by a new one. */
export class Isolates {
  #all = [];
  /** How many have died. */
  died = 0;

  constructor(count, { openModules, random, faults, time }) {
    Object.assign(this, { openModules, random, faults, time });
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

  /** Closes all isolates at the end of a world. */
  close() {
    for (const { modules } of this.#all) modules.close();
  }

  /** Gives all machines clocks that may differ. */
  setClocks() {
    for (const { process } of this.#all) process.skewMs = this.faults.skewMs();
  }

  #open() {
    const process = new Process({ skewMs: this.faults.skewMs() });
    const modules = process.run(() => this.openModules(this.time, this.random));
    const isolate = { process, worker: modules.worker, modules };
    process.onDeath = () => {
      process.diedAt = this.time.now;
      this.died += 1;
      modules.close();
      this.#all.splice(this.#all.indexOf(isolate), 1);
      this.#open();
    };
    this.#all.push(isolate);
  }
}
