import { describe, expect, it } from "vitest";
import { type Admission, enterLane, healthyLane, type LaneState, leaveLane } from "../../../src/core/mail/breaker";

const now = 1_000_000;
const pauseMs = 30_000;

/** A lane after rounds of calls that went so, one after another. */
const laneAfter = (...rounds: Parameters<typeof leaveLane>[1][]): LaneState =>
  rounds.reduce<LaneState>((state, round) => leaveLane(state, round, now), healthyLane);
const admitted = (state: LaneState, at: number): Admission => enterLane(state, at)[1];

describe("calls that throw in a row", () => {
  it.each<[what: string, state: LaneState, admission: Admission]>([
    ["none", healthyLane, { kind: "open", troubled: false }],
    ["one", laneAfter({ thrown: 1 }), { kind: "open", troubled: true }],
    ["two", laneAfter({ thrown: 1 }, { thrown: 1 }), { kind: "open", troubled: true }],
    ["two in one round", laneAfter({ thrown: 2 }), { kind: "open", troubled: true }],
    ["three", laneAfter({ thrown: 1 }, { thrown: 1 }, { thrown: 1 }), { kind: "paused", untilMs: now + pauseMs }],
    ["three over two rounds", laneAfter({ thrown: 2 }, { thrown: 1 }), { kind: "paused", untilMs: now + pauseMs }],
    ["three in one round", laneAfter({ thrown: 3 }), { kind: "paused", untilMs: now + pauseMs }],
    ["six in one round", laneAfter({ thrown: 6 }), { kind: "paused", untilMs: now + pauseMs }],
    [
      "two, an answer, and two more",
      laneAfter({ thrown: 2 }, "answered", { thrown: 2 }),
      { kind: "open", troubled: true },
    ],
    ["none, after an answer", laneAfter({ thrown: 2 }, "answered"), { kind: "open", troubled: false }],
  ])("%s", (_, state, admission) => {
    expect(admitted(state, now)).toEqual(admission);
  });
});

it("changes nothing for who enters an open lane or a paused one", () => {
  for (const state of [healthyLane, laneAfter({ thrown: 2 }), laneAfter({ thrown: 3 })]) {
    expect(enterLane(state, now)[0]).toEqual(state);
  }
});

describe("a paused lane", () => {
  const paused = laneAfter({ thrown: 3 });
  const over = now + pauseMs;

  it.each<[afterMs: number, kind: Admission["kind"]]>([
    [0, "paused"],
    [pauseMs - 1, "paused"],
    [pauseMs, "probe"],
    [pauseMs * 100, "probe"],
  ])("after %i ms: %s", (afterMs, kind) => {
    expect(admitted(paused, now + afterMs).kind).toBe(kind);
  });

  it("lets one probe when the pause is over, while the others go on waiting", () => {
    let state = paused;
    const kinds = Array.from({ length: 5 }, () => {
      const [next, admission] = enterLane(state, over);
      state = next;
      return admission;
    });
    const waiting: Admission = { kind: "paused", untilMs: over + pauseMs };
    expect(kinds).toEqual([{ kind: "probe" }, waiting, waiting, waiting, waiting]);
  });

  it("lets the next one probe after another pause, should the first have died", () => {
    const [probing] = enterLane(paused, over);
    expect(admitted(probing, over + pauseMs - 1).kind).toBe("paused");
    expect(admitted(probing, over + pauseMs).kind).toBe("probe");
  });

  it("is healed by an answer to the probe", () => {
    const [probing] = enterLane(paused, over);
    expect(leaveLane(probing, "answered", over)).toEqual(healthyLane);
  });

  it("pauses again at once when the probe throws", () => {
    const [probing] = enterLane(paused, over);
    const again = leaveLane(probing, { thrown: 1 }, over + 500);
    expect(admitted(again, over + 500)).toEqual({ kind: "paused", untilMs: over + 500 + pauseMs });
    expect(admitted(again, over + 500 + pauseMs).kind).toBe("probe");
  });

  it("is healed by a late answer of a call made before the pause", () => {
    expect(leaveLane(paused, "answered", now + 1)).toEqual(healthyLane);
  });

  it("waits longer when a call made before the pause throws late", () => {
    const later = leaveLane(paused, { thrown: 1 }, now + 10_000);
    expect(admitted(later, over).kind).toBe("paused");
    expect(admitted(later, now + 10_000 + pauseMs).kind).toBe("probe");
  });

  it("needs three throws again once it was healed", () => {
    const healed = leaveLane(paused, "answered", over);
    expect(admitted(leaveLane(healed, { thrown: 2 }, over), over).kind).toBe("open");
    expect(admitted(leaveLane(healed, { thrown: 3 }, over), over).kind).toBe("paused");
  });
});

it("never changes a state in place", () => {
  const state = Object.freeze(laneAfter({ thrown: 3 }));
  expect(() => [
    enterLane(state, now + pauseMs),
    leaveLane(state, { thrown: 1 }, now),
    leaveLane(state, "answered", now),
  ]).not.toThrow();
});
