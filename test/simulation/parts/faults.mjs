import { databaseFaults } from "../../support/database-faults.ts";

const faultsOfWrite = Object.values(databaseFaults);

/** How likely each fault is while a world is at fault. */
const rates = { database: 0.03, providerAnswer: 0.1, duplicate: 0.1, late: 0.1 };
const lateMs = 30_000;

/** Draws the faults of a world from a stream of its own. There are none once the world has healed. */
export class Faults {
  isHealed = false;
  drawn = 0;

  constructor(random) {
    this.random = random;
  }

  #happens(rate) {
    if (this.isHealed || this.random() >= rate) return false;
    this.drawn += 1;
    return true;
  }

  /** The fault of a trip to a database that writes; null for none. D1 itself repeats reads. */
  ofWrite() {
    if (!this.#happens(rates.database)) return null;
    return faultsOfWrite[Math.floor(this.random() * faultsOfWrite.length)] ?? null;
  }

  /** Whether the answer of a provider is lost, after it has done its work. */
  losesAnswer() {
    return this.#happens(rates.providerAnswer);
  }

  /** How often a message comes, and how much later: queues deliver at least once, in no order. */
  ofMessage() {
    const times = this.#happens(rates.duplicate) ? 2 : 1;
    return Array.from({ length: times }, () => (this.#happens(rates.late) ? this.random() * lateMs : 0));
  }
}
