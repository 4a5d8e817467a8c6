import { AsyncLocalStorage } from "node:async_hooks";

const running = new AsyncLocalStorage();
const invocations = new AsyncLocalStorage();

/** The process whose code runs now; undefined for the world itself. */
export function currentProcess() {
  return running.getStore();
}

/** The call that runs now, and how many statements it has had. */
export function currentInvocation() {
  return invocations.getStore();
}

/** How often processes were called since the boundary was opened. */
export const served = { calls: 0 };

/**
 * What runs code and dies as one: an isolate, or an object in it. A process that has died does nothing more that
 * anybody could see: its timers do not fire, and no answer reaches it. Calls that it serves fail.
 */
export class Process {
  isDead = false;
  diedAt = Number.POSITIVE_INFINITY;
  /** When its last call ended. */
  idleSince = 0;
  #calls = new Set();
  #parts = new Set();

  /** `parent` is the isolate of an object. `beforeLeaving` is waited for before anything leaves the process. */
  constructor({ parent = null, skewMs = parent?.skewMs ?? 0, beforeLeaving = null } = {}) {
    Object.assign(this, { parent, skewMs, beforeLeaving });
    parent?.#parts.add(this);
  }

  get isIdle() {
    return this.#calls.size === 0;
  }

  /** Runs code in this process. */
  run(work) {
    return running.run(this, work);
  }

  /** Serves a call. It fails when the process dies first. */
  serve(work) {
    served.calls += 1;
    return new Promise((resolve, reject) => {
      this.#calls.add(reject);
      const leave = () => this.beforeLeaving?.();
      const invoke = () => invocations.run({ statements: 0 }, async () => work());
      const answer = running.run(this, invoke).finally(leave);
      answer.then(resolve, reject).finally(() => this.#calls.delete(reject));
    });
  }

  /** Ends the process. `reason` is what its callers see. */
  die(reason) {
    if (this.isDead) return;
    this.isDead = true;
    this.parent?.#parts.delete(this);
    for (const part of this.#parts) part.die(reason);
    for (const reject of this.#calls) reject(new Error(reason));
    this.#calls.clear();
    this.onDeath?.();
  }
}

/** What callers see of an isolate that died. */
export const isolateLost = "Network connection lost.";
const objectReset = "Durable Object reset because its code was updated.";

/**
 * Makes calls that leave a process: to a database, an object, a queue, the network. The process may die at each of them,
 * before the call leaves or after it has arrived.
 */
export function openBoundary(faults) {
  served.calls = 0;
  return async (work, { isMessage = false } = {}) => {
    const process = running.getStore();
    if (process === undefined) return work();
    if (process.isDead) return never();
    const death = faults.ofCall(process.parent !== null, isMessage);
    if (death?.when === "before") return kill(process, death);
    await process.beforeLeaving?.();
    if (process.isDead) return never();
    const answer = work();
    if (death?.when === "after") {
      answer.catch(() => {});
      return kill(process, death);
    }
    try {
      const result = await answer;
      return process.isDead ? never() : result;
    } catch (error) {
      if (process.isDead) return never();
      throw error;
    }
  };
}

function kill(process, { of }) {
  if (of === "object") process.die(objectReset);
  else (process.parent ?? process).die(isolateLost);
  return never();
}

function never() {
  return new Promise(() => {});
}
