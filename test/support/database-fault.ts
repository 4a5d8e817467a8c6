import { databaseFaults } from "./database-faults";
import type { Trip } from "./killable";

export type FaultName = keyof typeof databaseFaults;

export const faultNames = Object.keys(databaseFaults) as FaultName[];

/** Trips that write, because D1 repeats reads itself; but not the note that a key was used. */
const writes = (trip: Trip) => trip.writes && !trip.sql.some((text) => /UPDATE "api_keys"/i.test(text));

/** Some of the trips of a call, counted as they are made. */
export interface Meant {
  isMeant(trip: Trip): boolean;
  count(): number;
}

/** The n-th trip that writes, from 1, and all that write after it. */
export function fromWrite(n: number): Meant {
  return countedFrom(n, writes);
}

/** The n-th trip that writes, from 1, and all after it, also those that read. */
export function allFromWrite(n: number): Meant {
  const meant = fromWrite(n);
  let hasBegun = false;
  return {
    isMeant: (trip) => {
      hasBegun = meant.isMeant(trip) || hasBegun;
      return hasBegun;
    },
    count: meant.count,
  };
}

export function everyTrip(): Meant {
  return fromTrip(1);
}

/** The n-th trip, from 1, and all after it. */
export function fromTrip(n: number): Meant {
  return countedFrom(n, () => true);
}

function countedFrom(n: number, counts: (trip: Trip) => boolean): Meant {
  let seen = 0;
  return {
    isMeant: (trip) => {
      if (!counts(trip)) return false;
      seen += 1;
      return seen >= n;
    },
    count: () => seen,
  };
}

/** Fails some round trips to a database, and lets all others pass. */
export class DatabaseFault {
  /** How many trips have failed. */
  met = 0;

  /** The trips that `isMeant` names meet one fault after another; those after the last fault pass. */
  constructor(
    private readonly faults: FaultName[],
    private readonly isMeant: (trip: Trip) => boolean = writes,
  ) {}

  async meet<T>(trip: Trip, make: () => Promise<T>): Promise<T> {
    const name = this.isMeant(trip) ? this.faults[this.met] : undefined;
    if (name === undefined) return make();
    this.met += 1;
    const { commits, message } = databaseFaults[name];
    if (commits) await make();
    throw new Error(message);
  }
}

/** A fault that stays longer than anybody tries. */
export function staying(name: FaultName): FaultName[] {
  return Array.from({ length: 100 }, () => name);
}
