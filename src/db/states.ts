import type { Db } from "./client";
import { aroundTrips, type Client } from "./trips";

/** What a request has seen of a database whose copies lag behind it. */
export interface States {
  /** The database. Its trips go to the primary, and to copies after `readFrom`. */
  db: Db;
  /**
   * From here on, trips go to any copy at least as new as the given bookmark, or to any at all with `anyCopy`. Only for
   * requests that read.
   */
  readFrom(start: string): void;
  /** Asks the primary how far it is: somebody else has written for this request. */
  ask(): Promise<void>;
  /** The bookmark of the newest state seen. Null before the first trip. */
  newest(): string | null;
}

export const anyCopy = "first-unconstrained";
const thePrimary = "first-primary";

/**
 * Each trip to the primary is a session of its own. A longer session would go on at a copy after its first query, and that
 * need not have what others wrote meanwhile. Reads from copies share one session, so that none sees less than the one before.
 */
export function openStates(primary: Db): States {
  const database = primary.$client;
  let newest: string | null = null;
  let copies: D1DatabaseSession | null = null;

  const through = async <T>(session: D1DatabaseSession, trip: (by: Client) => Promise<T>): Promise<T> => {
    const result = await trip(session);
    const seen = session.getBookmark();
    // Bookmarks sort by age.
    if (seen !== null && (newest === null || seen > newest)) newest = seen;
    return result;
  };
  const db = aroundTrips(primary, async (trip) => {
    if (copies !== null) {
      try {
        return await through(copies, trip);
      } catch {
        // A read may be asked twice. A copy that fails, or does not catch up in time, costs a trip and no answer.
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
