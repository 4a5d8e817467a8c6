import { campaignDeeds } from "./campaigns.mjs";
import { clockDeeds } from "./clock.mjs";
import { contactDeeds } from "./contacts.mjs";
import { mailDeeds } from "./mail.mjs";
import { projectDeeds } from "./projects.mjs";
import { readerDeeds } from "./readers.mjs";
import { restoreDeeds } from "./restore.mjs";
import { strangerDeeds } from "./strangers.mjs";
import { workflowDeeds } from "./workflows.mjs";

const maxTries = 8;
const againMs = 5_000;
/** A caller that hears that its first call still runs waits until that one counts as given up. */
const runningMs = 20_000;

/** All that people do, by its kind. */
const deeds = {
  ...{ ...mailDeeds, ...readerDeeds, ...contactDeeds, ...campaignDeeds },
  ...{ ...workflowDeeds, ...projectDeeds, ...clockDeeds, ...restoreDeeds, ...strangerDeeds },
};

/** Does what an entry of a plan says. What was asked and answered, and what follows from it, is kept in `told`. */
export async function act(world, tenant, entry, told) {
  const caller = new Caller(world, tenant, entry, told);
  await deeds[entry.kind](caller, entry);
}

/** Somebody who calls the API for one entry. */
class Caller {
  constructor(world, tenant, entry, told) {
    Object.assign(this, { world, tenant, entry, told });
    this.clockBefore = this.now();
    this.begunAt = world.time.now;
  }

  /** The same caller, for another tenant. */
  of(tenant) {
    return new Caller(this.world, tenant, this.entry, this.told);
  }

  /** The time of the project. */
  now() {
    return this.world.timeOf(this.tenant);
  }

  /** Calls once. `allowed`: further statuses that are no surprise. */
  async ask(method, path, { key = this.tenant.key, allowed = [], ...options } = {}) {
    const { tenant } = this;
    const wasClosed = isClosedTo(tenant);
    const answer = await this.world.ask(method, path, { key, ...options });
    const isClosed = wasClosed || isClosedTo(tenant);
    this.told.answers.push({ entry: this.entry, tenant, method, path, answer, allowed, isClosed });
    return answer;
  }

  /** Calls until there is an answer that counts: for what may be said again without harm. */
  async insist(method, path, options) {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.ask(method, path, options);
      const isVague = answer.status === 0 || answer.status === 429 || answer.status >= 500 || isRunning(answer);
      if (!isVague || attempt === maxTries) return { ...answer, attempts: attempt };
      await this.world.time.wait(isRunning(answer) ? runningMs : againMs);
    }
  }

  /**
   * Notes something that must hold from now on: `at` is the world's time, and `clock` that of the project. Returns the
   * note, to which more may be added.
   */
  note(fact) {
    const { tenant, entry, clockBefore, begunAt } = this;
    const times = { begunAt, at: this.world.time.now, clockBefore, clock: this.now() };
    const whole = { tenant: tenant.name, entry, ...times, ...fact };
    this.told.facts.push(whole);
    return whole;
  }

  /** A key for one call. Tenants use the same ones, as each may. */
  newKey() {
    this.tenant.keysUsed += 1;
    return `k-${this.tenant.keysUsed}`;
  }

  address(index = 0) {
    const { people } = this.entry;
    return this.tenant.address(people[index % people.length]);
  }
}

/** Whether a key is taken by a call that has no answer yet. */
function isRunning({ status, body }) {
  return status === 409 && body?.error?.details?.originalStatusCode === null;
}

/** Whether people of a tenant may be refused, because its project is disabled or deleted. */
function isClosedTo({ isDeleted, timesDisabled }) {
  return isDeleted || timesDisabled > 0;
}
