import { drizzle } from "drizzle-orm/d1";
import { casing, countedIn, type Db } from "./client";

/** What makes round trips: a database, or a session with it. */
export type Client = Pick<D1Database, "prepare" | "batch">;

/** Runs one round trip, by the database itself if no other client is given, with whatever goes before and after it. */
export type Around = <T>(trip: (by?: Client) => Promise<T>) => Promise<T>;

/** Prepares a statement, with its values, for a client. */
type Prepare = (by: Client) => D1PreparedStatement;

/** The same database, each round trip of which goes through `around`. */
export function aroundTrips({ $client, spent }: Db, around: Around): Db {
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
    // Its methods are those of a statement: the arguments and the result go through as they are.
    return own as unknown as D1PreparedStatement;
  };
  const client = {
    prepare: (text: string) => statement((by) => by.prepare(text)),
    batch: (statements: D1PreparedStatement[]) =>
      around((by = $client) => by.batch(statements.map((one) => prepared.get(one)?.(by) ?? one))),
  };
  // Nobody calls another method of a database.
  const db = drizzle(client as unknown as D1Database, { casing });
  return spent === undefined ? db : countedIn(spent, db);
}
