import { drizzle } from "drizzle-orm/d1";
import { casing, type Db } from "./client";

/** Runs one round trip to a database, with whatever goes before and after it. */
export type Around = <T>(trip: () => Promise<T>) => Promise<T>;

const trips = new Set<PropertyKey>(["all", "first", "raw", "run"]);

/** The same database, each round trip of which goes through `around`. */
export function aroundTrips({ $client }: Db, around: Around): Db {
  const prepared = new WeakMap<object, D1PreparedStatement>();
  const wrap = (real: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(real, {
      get(_, name) {
        if (name === "bind") return (...values: unknown[]) => wrap(real.bind(...values));
        const value: unknown = Reflect.get(real, name);
        if (typeof value !== "function") return value;
        const call = (...values: unknown[]) => value.apply(real, values);
        return trips.has(name) ? (...values: unknown[]) => around(async () => call(...values)) : call;
      },
    });
    prepared.set(wrapped, real);
    return wrapped;
  };
  const client = new Proxy($client, {
    get(_, name) {
      if (name === "prepare") return (text: string) => wrap($client.prepare(text));
      if (name !== "batch") return Reflect.get($client, name);
      return (statements: D1PreparedStatement[]) =>
        around(() => $client.batch(statements.map((statement) => prepared.get(statement) ?? statement)));
    },
  });
  return drizzle(client, { casing });
}
