import { describe, expect, it } from "vitest";
import { clickStyles } from "../../console/src/routes/campaign/click-styles";
import { intervalOf } from "../../console/src/routes/campaign/interval";
import { spansOf } from "../../console/src/routes/campaign/spans";

const nothing = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, unsubscribed: 0 };
const hourMs = 3_600_000;
const nine = Date.UTC(2026, 0, 31, 9);
const hour = (after: number, counts: Partial<typeof nothing>) => ({
  ...{ at: new Date(nine + after * hourMs).toISOString() },
  ...nothing,
  ...counts,
});

describe("the interval of a rate", () => {
  // Known values of the interval of Wilson.
  it.each([
    [0, 10, 0, 0.2775],
    [5, 10, 0.2366, 0.7634],
    [10, 10, 0.7225, 1],
    [412, 1_000, 0.3819, 0.4428],
  ])("of %i in %i is from %f to %f", (hits, cases, low, high) => {
    const found = intervalOf(hits, cases);
    expect(found.low).toBeCloseTo(low, 3);
    expect(found.high).toBeCloseTo(high, 3);
  });

  it("is everything without cases", () => {
    expect(intervalOf(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe("the spans of a campaign", () => {
  it("are hours, also those in which nothing happened", () => {
    const { isByDay, spans } = spansOf([hour(0, { sent: 3 }), hour(2, { opened: 1 })]);
    expect(isByDay).toBe(false);
    expect(spans).toEqual([
      { at: nine, ...nothing, sent: 3 },
      { at: nine + hourMs, ...nothing },
      { at: nine + 2 * hourMs, ...nothing, opened: 1 },
    ]);
  });

  it("are days once it goes on for three, and at most ninety", () => {
    const { isByDay, spans } = spansOf([hour(0, { sent: 3 }), hour(3, { sent: 1 }), hour(72, { clicked: 2 })]);
    expect(isByDay).toBe(true);
    expect(spans.map(({ sent, clicked }) => [sent, clicked])).toEqual([
      [4, 0],
      [0, 0],
      [0, 0],
      [0, 2],
    ]);
    expect(spansOf([hour(0, {}), hour(24 * 365, {})]).spans).toHaveLength(90);
  });

  it("are none before anything happened", () => {
    expect(spansOf([])).toEqual({ isByDay: false, spans: [] });
  });
});

describe("clickStyles", () => {
  it("has nothing of what a link or a text says but letters and digits, so that nobody ends its strings", () => {
    const hostile = `x"]{}</style><script>alert('x')</script>\\\n\0/*é*/`;
    const styles = clickStyles([{ href: hostile, text: hostile, heat: 1 }]);
    const strings = [...styles.matchAll(/"([^"]*)"/g)].map(([, string]) => string);
    expect(strings).toHaveLength(3);
    for (const string of strings) expect(string).toMatch(/^(?:[a-z0-9]|\\[0-9a-f]+ )+$/i);
    expect(styles.match(/</g)).toHaveLength(2);
  });
});
