import { describe, expect, it } from "vitest";
import {
  afterCalls,
  type LaneState,
  nextCallAt,
  openLane,
  probing,
  type Verdict,
} from "../../../src/core/mail/breaker";

const now = 1_000_000;
const answered: Verdict = { kind: "answered" };
const blocked: Verdict = { kind: "blocked" };
const failed = (calls: number): Verdict => ({ kind: "failed", calls });
const throttled = (askedMs = 0): Verdict => ({ kind: "throttled", askedMs });

/** A lane after rounds of calls at the same time. */
const laneAfter = (...verdicts: Verdict[]): LaneState =>
  verdicts.reduce((lane, verdict) => afterCalls(lane, verdict, { isProbe: false, now, random: 0 }), openLane);
const probed = (lane: LaneState, verdict: Verdict, random = 0): LaneState =>
  afterCalls(probing(lane, now + 120_000), verdict, { isProbe: true, now, random });

describe("an open lane", () => {
  it.each<[what: string, lane: LaneState, pauseMs: number]>([
    ["nothing", laneAfter(), 0],
    ["two failures", laneAfter(failed(1), failed(1)), 0],
    ["three failures", laneAfter(failed(1), failed(1), failed(1)), 30_000],
    ["three failures in two rounds", laneAfter(failed(2), failed(1)), 30_000],
    ["five failures in one round", laneAfter(failed(5)), 30_000],
    ["two failures, an answer, two failures", laneAfter(failed(2), answered, failed(2)), 0],
    ["one refusal of the account", laneAfter(blocked), 30_000],
    ["no calls", laneAfter(failed(2), { kind: "unused" }), 0],
  ])("after %s", (_, lane, pauseMs) => {
    expect(nextCallAt(lane)).toEqual(pauseMs === 0 ? { at: 0, isProbe: false } : { at: now + pauseMs, isProbe: true });
  });

  it("rests when it is throttled, twice as long each time, and goes on without a probe", () => {
    expect(nextCallAt(laneAfter(throttled()))).toEqual({ at: now + 1_000, isProbe: false });
    expect(nextCallAt(laneAfter(throttled(), throttled(), throttled()))).toEqual({ at: now + 4_000, isProbe: false });
    expect(nextCallAt(laneAfter(throttled(20_000)))).toEqual({ at: now + 20_000, isProbe: false });
    expect(nextCallAt(laneAfter(throttled(3_600_000)))).toEqual({ at: now + 600_000, isProbe: false });
    expect(nextCallAt(laneAfter(throttled(), throttled(), answered, throttled())).at).toBe(now + 1_000);
  });
});

describe("a paused lane", () => {
  const paused = laneAfter(failed(3));

  it("opens when the probe is answered, and only then", () => {
    expect(probed(paused, answered)).toEqual(openLane);
    expect(nextCallAt(probed(paused, throttled()))).toEqual({ at: now + 1_000, isProbe: false });
  });

  it("pauses twice as long after each probe, up to ten minutes", () => {
    const pauses: number[] = [];
    let lane = paused;
    for (let probe = 0; probe < 7; probe++) {
      lane = probed(lane, probe % 2 ? blocked : failed(1));
      pauses.push(nextCallAt(lane).at - now);
    }
    expect(pauses).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000, 600_000]);
  });

  it("pauses up to a quarter shorter by chance", () => {
    expect(nextCallAt(probed(paused, failed(1), 1)).at - now).toBe(45_000);
  });

  it("hears nothing of calls that were made before the pause", () => {
    for (const verdict of [answered, blocked, failed(5), throttled()]) {
      expect(afterCalls(paused, verdict, { isProbe: false, now, random: 0 })).toEqual(paused);
    }
  });

  it("keeps its probe when it was not made", () => {
    expect(nextCallAt(probed(paused, { kind: "unused" }))).toEqual({ at: now, isProbe: true });
  });

  it("takes no call while the probe is out", () => {
    expect(nextCallAt(probing(paused, now + 120_000)).at).toBe(now + 120_000);
  });
});
