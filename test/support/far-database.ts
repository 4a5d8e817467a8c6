/**
 * A database that is far away: each round trip takes so long, and nobody's waits for another's. It says how many of them were
 * under way together, which is what a clock would only hint at.
 */
export class FarDatabase {
  trips = 0;
  /** Round trips that were under way at the same time, at most. */
  mostAtOnce = 0;
  private underWay = 0;

  constructor(private readonly tripMs = 80) {}

  of(near: D1Database): D1Database {
    const prepared = new WeakMap<object, D1PreparedStatement>();
    const wrap = (real: D1PreparedStatement): D1PreparedStatement => {
      const far = {
        bind: (...values: unknown[]) => wrap(real.bind(...values)),
        all: () => this.trip(() => real.all()),
        run: () => this.trip(() => real.run()),
        raw: () => this.trip(() => real.raw()),
        first: () => this.trip(() => real.first()),
      };
      prepared.set(far, real);
      // The code under test calls no other methods.
      return far as unknown as D1PreparedStatement;
    };
    const far = {
      prepare: (text: string) => wrap(near.prepare(text)),
      batch: (statements: D1PreparedStatement[]) =>
        this.trip(() => near.batch(statements.map((statement) => prepared.get(statement) ?? statement))),
    };
    return far as unknown as D1Database;
  }

  private async trip<T>(there: () => Promise<T>): Promise<T> {
    this.trips += 1;
    this.underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);
    try {
      await new Promise((resolve) => setTimeout(resolve, this.tripMs));
      return await there();
    } finally {
      this.underWay -= 1;
    }
  }
}
