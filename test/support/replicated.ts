/** A round trip, and where it went. */
export interface Trip {
  at: "primary" | "copy";
  /** What its session began with; null where there was none. */
  start: string | null;
  sql: string[];
  writes: boolean;
}

const writing = /\b(INSERT INTO|UPDATE|DELETE FROM|REPLACE INTO)\b/i;

/**
 * A database with a copy that lags as far as D1 allows: to a session without a bookmark the copy knows nothing yet, and for one
 * with a bookmark it catches up first. The primary is a real database. So is the copy: one that has none of the project's rows.
 */
export class Replicated {
  trips: Trip[] = [];
  /** What the copy says in place of an answer. */
  copyFails: string | null = null;
  /** The state of the primary: a new one after each of its trips. */
  private state = 0;

  constructor(
    private readonly primary: D1Database,
    private readonly copy: D1Database,
  ) {}

  get database(): D1Database {
    const plain = this.client(async (trip, sql) => {
      this.note("primary", null, sql);
      return trip(this.primary);
    });
    const database = { ...plain, withSession: (start: string) => this.session(start) };
    // The code under test calls no other methods.
    return database as unknown as D1Database;
  }

  private note(at: Trip["at"], start: string | null, sql: string[]): void {
    this.trips.push({ at, start, sql, writes: sql.some((text) => writing.test(text)) });
  }

  private session(start: string) {
    let bookmark = start.startsWith("first-") ? null : start;
    const client = this.client(async (trip, sql) => {
      const goesToPrimary = bookmark === null && start === "first-primary";
      this.note(goesToPrimary ? "primary" : "copy", start, sql);
      if (goesToPrimary) {
        const answer = await trip(this.primary);
        bookmark = bookmarkOf(++this.state);
        return answer;
      }
      if (this.copyFails !== null) throw new Error(this.copyFails);
      bookmark ??= bookmarkOf(0);
      if (bookmark > bookmarkOf(this.state)) throw new Error("The copy never gets there");
      return trip(bookmark === bookmarkOf(0) ? this.copy : this.primary);
    });
    return { ...client, getBookmark: () => bookmark };
  }

  private client(make: <T>(trip: (at: D1Database) => Promise<T>, sql: string[]) => Promise<T>) {
    const written = new WeakMap<object, { sql: string; prepare: (at: D1Database) => D1PreparedStatement }>();
    const wrap = (sql: string, prepare: (at: D1Database) => D1PreparedStatement): object => {
      const one = {
        bind: (...values: unknown[]) => wrap(sql, (at) => prepare(at).bind(...values)),
        all: () => make((at) => prepare(at).all(), [sql]),
        run: () => make((at) => prepare(at).run(), [sql]),
        raw: () => make((at) => prepare(at).raw(), [sql]),
        first: () => make((at) => prepare(at).first(), [sql]),
      };
      written.set(one, { sql, prepare });
      return one;
    };
    return {
      prepare: (sql: string) => wrap(sql, (at) => at.prepare(sql)),
      batch: (statements: object[]) => {
        const all = statements.flatMap((one) => written.get(one) ?? []);
        return make(
          (at) => at.batch(all.map(({ prepare }) => prepare(at))),
          all.map(({ sql }) => sql),
        );
      },
    };
  }
}

/** As D1 has them: they sort by age. */
function bookmarkOf(state: number): string {
  return `${String(state).padStart(8, "0")}-00000000-0000504b-${"f".repeat(32)}`;
}
