import type { Db } from "./client";
import { aroundTrips, type TripClient } from "./trips";

/** The states of a database that a request has seen. Copies of the database can lag behind the database itself. */
export interface States {
  /** The database. Its round trips go to the primary or, after a call of `readFrom`, to copies. */
  db: Db;
  /**
   * Sends later round trips to any copy that is at least as new as the given bookmark, or to any copy at all with
   * `anyCopy`. Use this only for requests that read.
   */
  readFrom(start: string): void;
  /** Reads the newest bookmark from the primary. Needed when another invocation has written for this request. */
  ask(): Promise<void>;
  /** The bookmark of the newest state seen. Null before the first trip. */
  newest(): string | null;
}

export const anyCopy = "first-unconstrained";
const thePrimary = "first-primary";

/**
 * Opens the states of a database. Each round trip to the primary has a session of its own: a longer session would
 * continue at a copy after its first query, and that copy might lack later writes of other requests. Reads from copies
 * share one session, so that no read sees an older state than the one before.
 */
export function openStates(primary: Db): States {
  const database = primary.$client;
  let newest: string | null = null;
  let copies: D1DatabaseSession | null = null;

  const through = async <T>(session: D1DatabaseSession, trip: (by: TripClient) => Promise<T>): Promise<T> => {
    const result = await trip(session);
    const seen = session.getBookmark();
    // A newer bookmark is greater than an older one.
    if (seen !== null && (newest === null || seen > newest)) newest = seen;
    return result;
  };
  const db = aroundTrips(primary, async (trip) => {
    if (copies !== null) {
      try {
        return await through(copies, trip);
      } catch {
        // The read runs again on the primary. A copy that fails, or does not catch up in time, therefore costs a round
        // trip but not the answer.
        copies = null;
      }
    }
    return through(database.withSession(thePrimary), trip);
  });
  return {
    db,
    readFrom(start) {
      copies = database.withSession(start);
    },
    async ask() {
      await through(database.withSession(thePrimary), (session) => session.prepare("SELECT 1").run());
    },
    newest: () => newest,
  };
}
