/** How long a round trip waits for others of its kind. */
const patienceMs = 3_000;
const lookEveryMs = 5;

/**
 * A database that is far away: each round trip takes so long, and nobody's waits for another's. It says how many of them were
 * under way together, which is what a clock would only hint at.
 *
 * With `together`, a round trip ends when so many of the same statements have begun: work that keeps others from coming there
 * waits in vain, and its statements are in `alone`.
 */
export class FarDatabase {
  trips = 0;
  alone: string[] = [];
  /** Round trips that were under way at the same time, at most. */
  mostAtOnce = 0;
  private underWay = 0;
  private readonly begun = new Map<string, number>();

  constructor(
    private readonly tripMs = 80,
    private readonly together = 1,
  ) {}

  of(near: D1Database): D1Database {
    const prepared = new WeakMap<object, { real: D1PreparedStatement; text: string }>();
    const wrap = (real: D1PreparedStatement, text: string): D1PreparedStatement => {
      const far = {
        bind: (...values: unknown[]) => wrap(real.bind(...values), text),
        all: () => this.trip(text, () => real.all()),
        run: () => this.trip(text, () => real.run()),
        raw: () => this.trip(text, () => real.raw()),
        first: () => this.trip(text, () => real.first()),
      };
      prepared.set(far, { real, text });
      // The code under test calls no other methods.
      return far as unknown as D1PreparedStatement;
    };
    const far = {
      prepare: (text: string) => wrap(near.prepare(text), text),
      batch: (statements: D1PreparedStatement[]) => {
        const text = statements.map((statement) => prepared.get(statement)?.text).join("; ");
        return this.trip(text, () => near.batch(statements.map((one) => prepared.get(one)?.real ?? one)));
      },
    };
    return far as unknown as D1Database;
  }

  private async trip<T>(text: string, there: () => Promise<T>): Promise<T> {
    this.trips += 1;
    this.underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);
    try {
      await new Promise((resolve) => setTimeout(resolve, this.tripMs));
      await this.meetOthers(text);
      return await there();
    } finally {
      this.underWay -= 1;
    }
  }

  /** It looks again and again, because a promise of one object must not depend on another. */
  private async meetOthers(text: string): Promise<void> {
    const index = (this.begun.get(text) ?? 0) + 1;
    this.begun.set(text, index);
    const wanted = Math.ceil(index / this.together) * this.together;
    for (let waitedMs = 0; (this.begun.get(text) ?? 0) < wanted; waitedMs += lookEveryMs) {
      if (this.alone.length > 0) return;
      if (waitedMs >= patienceMs) this.alone.push(text);
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }
}
