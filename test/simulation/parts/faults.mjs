import { databaseFaults } from "../../support/database-faults.ts";
import { fileFaults } from "./platform-faults.mjs";

/** How likely each fault is at the place where it may happen, at most. A world draws its own rates below these. */
export const maxRates = {
  database: 0.15,
  file: 0.3,
  isolateDies: 0.006,
  isolateDiesAtMessage: 0.06,
  objectIsReset: 0.03,
  objectIsEvicted: 0.5,
  alarmIsLate: 0.5,
  alarmComesTwice: 0.4,
  messageComesTwice: 0.6,
  messageIsLate: 0.3,
  clocksDiffer: 1,
  resolverIsAway: 0.2,
  providerIsSlow: 0.2,
  providerHangs: 0.05,
  providerFails: 0.2,
  providerThrottles: 0.2,
  providerFailsAfterwards: 0.1,
  providerLosesAnswer: 0.4,
  reportIsLate: 0.3,
  reportComesTwice: 0.3,
  receiverFails: 0.4,
  receiverHangs: 0.1,
  receiverLosesAnswer: 0.2,
  // In some worlds the provider was never told where to report.
  reportIsLost: 1,
  alarmIsLost: 0.15,
};
const mostClocksDifferMs = 2_000;
const latestMs = 30_000;
const latestAlarmMs = 60_000;

/** Draws how faulty a world is: many worlds have few kinds of faults, so that each kind also meets quiet surroundings. */
export function drawRates(random) {
  return Object.fromEntries(
    Object.entries(maxRates).map(([name, most]) => [
      name,
      random() < 0.5 ? 0 : Math.round(random() * most * 1e4) / 1e4,
    ]),
  );
}

/** Draws the faults of a world from a stream of its own. There are none once the world has healed. */
export class Faults {
  isHealed = true;
  healedAt = Number.POSITIVE_INFINITY;
  /** How often each fault has happened. */
  counts = {};

  constructor(random, rates) {
    Object.assign(this, { random, rates });
  }

  heal(at) {
    Object.assign(this, { isHealed: true, healedAt: at });
  }

  get drawn() {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  happens(name) {
    const rate = this.rates[name] ?? 0;
    if (this.isHealed || rate === 0 || this.random() >= rate) return false;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    return true;
  }

  #one(items) {
    return items[Math.floor(this.random() * items.length)];
  }

  /** The fault of a trip to a database that writes; null for none. D1 itself repeats reads. */
  ofWrite() {
    return this.happens("database") ? this.#one(Object.values(databaseFaults)) : null;
  }

  /** The fault of a call to a bucket; null for none. */
  ofFile() {
    return this.happens("file") ? this.#one(Object.values(fileFaults)) : null;
  }

  /** How a process dies at a call that leaves it; null when it does not. */
  ofCall(isObject, isMessage) {
    const when = () => (this.random() < 0.5 ? "before" : "after");
    if (isMessage && this.happens("isolateDiesAtMessage")) return { of: "isolate", when: "before" };
    if (isObject && this.happens("objectIsReset")) return { of: "object", when: when() };
    return this.happens("isolateDies") ? { of: "isolate", when: when() } : null;
  }

  /** How much later something comes: 0 unless it is late. */
  lateMs(name) {
    return this.happens(name) ? this.random() * (name === "alarmIsLate" ? latestAlarmMs : latestMs) : 0;
  }

  /** How often a message comes, and how much later: queues deliver at least once, in no order. */
  ofMessage() {
    const times = this.happens("messageComesTwice") ? 2 : 1;
    return Array.from({ length: times }, () => this.lateMs("messageIsLate"));
  }

  /** How far the clock of a machine is off. */
  skewMs() {
    return this.happens("clocksDiffer") ? Math.round((this.random() * 2 - 1) * mostClocksDifferMs) : 0;
  }
}
