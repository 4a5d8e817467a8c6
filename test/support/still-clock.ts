/**
 * The clocks of a deployed Worker: `Date` and `performance.now` show when the last timer or answer came, and stand still
 * while code computes. Those of local workerd go on, so a loop that ends by a clock looks right here and never ends there.
 */
export class StillClock implements Disposable {
  private readonly real = { Date, now: performance.now, setTimeout, fetch };
  private shown = 0;
  private shownMs = 0;

  constructor() {
    this.catchUp();
    const { real } = this;
    const now = () => this.shown;
    globalThis.Date = new Proxy(real.Date, {
      construct: (_, given) => Reflect.construct(real.Date, given.length === 0 ? [now()] : given),
      get: (_, name) => (name === "now" ? now : Reflect.get(real.Date, name)),
    });
    performance.now = () => this.shownMs;
    // The overloads of setTimeout are more than one function can say.
    globalThis.setTimeout = ((handler: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
      real.setTimeout(() => {
        this.catchUp();
        handler(...given);
      }, ms)) as typeof setTimeout;
    globalThis.fetch = (...asked) => real.fetch(...asked).finally(() => this.catchUp());
  }

  /** An answer came: of a database, say. */
  catchUp(): void {
    this.shown = this.real.Date.now();
    this.shownMs = this.real.now.call(performance);
  }

  [Symbol.dispose](): void {
    const { now, ...others } = this.real;
    Object.assign(globalThis, others);
    performance.now = now;
  }
}
