import { drizzle } from "drizzle-orm/d1";
import { casing, countedIn, type Db } from "./client";

/** A client that makes round trips: a database, or a session with it. */
export type TripClient = Pick<D1Database, "prepare" | "batch">;

/**
 * Runs one round trip with work before and after it. The trip goes through the client `by` or, if none is given,
 * through the database itself.
 */
export type WrapTrip = <T>(trip: (by?: TripClient) => Promise<T>) => Promise<T>;

/** Prepares a statement and its values for a client. */
type Prepare = (by: TripClient) => D1PreparedStatement;

/** Returns the same database, with each round trip wrapped in `around`. */
export function aroundTrips({ $client, spent }: Db, around: WrapTrip): Db {
  const prepared = new WeakMap<object, Prepare>();
  const statement = (prepare: Prepare): D1PreparedStatement => {
    const trip =
      (name: "all" | "first" | "raw" | "run") =>
      (...given: unknown[]) =>
        around(async (by = $client) => {
          const real = prepare(by);
          return Reflect.apply(real[name], real, given);
        });
    const own = {
      bind: (...values: unknown[]) => statement((by) => prepare(by).bind(...values)),
      all: trip("all"),
      first: trip("first"),
      raw: trip("raw"),
      run: trip("run"),
    };
    prepared.set(own, prepare);
    // The cast is safe: the methods are those of a statement, and arguments and results pass through unchanged.
    return own as unknown as D1PreparedStatement;
  };
  const client = {
    prepare: (text: string) => statement((by) => by.prepare(text)),
    batch: (statements: D1PreparedStatement[]) =>
      around((by = $client) => by.batch(statements.map((one) => prepared.get(one)?.(by) ?? one))),
  };
  // The cast is safe: no code calls another method of the database.
  const db = drizzle(client as unknown as D1Database, { casing });
  return spent === undefined ? db : countedIn(spent, db);
}
