import { describe, expect, test } from "vitest";
import { newIdAt } from "../../../src/core/ids";
import type { ExecutionPosition } from "../../../src/core/workflows/execution";
import {
  advance,
  afterFailedTry,
  beginWait,
  cancelled,
  decide,
  leadsToWait,
} from "../../../src/core/workflows/machine";
import type { StepOutcome } from "../../../src/core/workflows/outcome";
import { startPosition } from "../../../src/core/workflows/position";
import type { Graph, Step } from "../../../src/core/workflows/step";
import { wakeByEvent, wakeByReport, wakeByTime } from "../../../src/core/workflows/wake";

const now = Date.UTC(2026, 0, 1);
const [trigger, delay, wait, mail, exit] = [1, 2, 3, 4, 5].map((n) => newIdAt(n)) as [
  Step["id"],
  Step["id"],
  Step["id"],
  Step["id"],
  Step["id"],
];
const event = (atMs: number) => newIdAt(atMs);

const steps: Step[] = [
  { id: trigger, type: "TRIGGER", name: "Trigger", config: {}, templateId: null },
  { id: delay, type: "DELAY", name: "Delay", config: { amount: 2, unit: "hours" }, templateId: null },
  { id: wait, type: "WAIT_FOR_EVENT", name: "Wait", config: { eventName: "purchase", timeout: 60 }, templateId: null },
  { id: mail, type: "SEND_EMAIL", name: "Mail", config: {}, templateId: null },
  { id: exit, type: "EXIT", name: "Exit", config: { reason: "Bought" }, templateId: null },
];
let ways = 0;
const way = (fromStepId: Step["id"], toStepId: Step["id"], branch: string | null = null, priority = 0) => ({
  ...{ id: newIdAt(100 + ++ways), fromStepId, toStepId, branch, priority },
});
const line: Graph = {
  steps,
  transitions: [way(trigger, delay), way(delay, wait), way(wait, exit, "event"), way(wait, mail, "timeout")],
};

function through(graph: Graph, position: ExecutionPosition, ...outcomes: StepOutcome[]): ExecutionPosition {
  return outcomes.reduce((at, outcome) => advance(graph, at, outcome, now).position, position);
}

const standing = (stepId: Step["id"], more: Partial<ExecutionPosition> = {}): ExecutionPosition => ({
  ...startPosition(now, null),
  stepId,
  ...more,
});

describe("a run", () => {
  test("begins at the trigger and goes on by its way", () => {
    const { position, record } = advance(line, startPosition(now, null), { kind: "done" }, now);
    expect(position).toMatchObject({ status: "RUNNING", stepId: delay, ordinal: 1, enteredAt: now });
    expect(record).toMatchObject({ stepId: trigger, type: "TRIGGER", status: "COMPLETED", ordinal: 0 });
  });

  test("sleeps for as long as the delay says, from when it came", () => {
    const step = steps[1] as Step;
    expect(decide(step, standing(delay))).toEqual({ kind: "sleeps", until: now + 7_200_000 });
    const asleep = through(line, standing(delay), { kind: "sleeps", until: now + 7_200_000 });
    expect(asleep).toMatchObject({ status: "WAITING", pause: "sleep", wakeAt: now + 7_200_000 });
    expect(wakeByTime(asleep, now + 7_199_999)).toBe(asleep);
    const awake = wakeByTime(asleep, now + 7_200_000);
    expect(awake).toMatchObject({ status: "RUNNING", stepId: delay, outcome: { kind: "done" }, wakeAt: null });
    // A second alarm finds nobody asleep.
    expect(wakeByTime(awake, now + 7_200_001)).toBe(awake);
  });

  test("is COMPLETED where no way leads on", () => {
    expect(through(line, standing(mail), { kind: "done" })).toMatchObject({ status: "COMPLETED", completedAt: now });
  });

  test("is COMPLETED after a branch that is not drawn", () => {
    expect(through(line, standing(wait), { kind: "done", branch: "never" }).status).toBe("COMPLETED");
  });

  test("goes by the way for all where its branch is not drawn", () => {
    const graph = { steps, transitions: [way(wait, exit, "event"), way(wait, mail)] };
    expect(through(graph, standing(wait), { kind: "done", branch: "timeout" }).stepId).toBe(mail);
    expect(through(graph, standing(wait), { kind: "done", branch: "event" }).stepId).toBe(exit);
  });

  test("takes the way with the highest priority", () => {
    const graph = { steps, transitions: [way(trigger, mail, null, 1), way(trigger, exit, null, 2)] };
    expect(through(graph, standing(trigger), { kind: "done" }).stepId).toBe(exit);
  });

  test("is EXITED where its step was removed", () => {
    const graph = { steps: steps.filter(({ id }) => id !== delay), transitions: line.transitions };
    const gone = { status: "EXITED", exitReason: "Step was removed" };
    expect(through(graph, standing(delay), { kind: "done" })).toMatchObject(gone);
    expect(through(graph, standing(trigger), { kind: "done" })).toMatchObject(gone);
  });

  test("is EXITED with the reason of the step", () => {
    expect(decide(steps[4] as Step, standing(exit))).toEqual({ kind: "exits", reason: "Bought" });
    expect(through(line, standing(exit), { kind: "exits", reason: "Bought" })).toMatchObject({
      status: "EXITED",
      exitReason: "Bought",
    });
  });

  test("keeps where it stood when it is cancelled", () => {
    const over = cancelled(standing(wait, { status: "WAITING", awaits: "purchase" }), "By hand", now);
    expect(over).toMatchObject({
      status: "CANCELLED",
      stepId: wait,
      exitReason: "By hand",
      awaits: null,
      completedAt: now,
    });
  });
});

describe("a wait", () => {
  const since = event(1_000);
  const step = steps[2] as Extract<Step, { type: "WAIT_FOR_EVENT" }>;
  const waiting = through(line, standing(wait), beginWait(step, standing(wait), since) as StepOutcome);

  test("takes name, deadline and beginning on entry", () => {
    expect(waiting).toMatchObject({
      status: "WAITING",
      pause: "event",
      awaits: "purchase",
      since,
      wakeAt: now + 60_000,
    });
  });

  test("goes on by a later event, once", () => {
    const awake = wakeByEvent(waiting, { id: event(1_020), name: "purchase" });
    expect(awake).toMatchObject({ status: "RUNNING", outcome: { kind: "done", branch: "event" } });
    expect(wakeByEvent(awake, { id: event(1_030), name: "purchase" })).toBe(awake);
    expect(wakeByTime(awake, now + 60_000)).toBe(awake);
    expect(through(line, awake, awake.outcome as StepOutcome).stepId).toBe(exit);
  });

  test("goes on by an event of the last moment before its timeout", () => {
    const last = { id: newIdAt(now + 59_999), name: "purchase" };
    expect(wakeByEvent(waiting, last)).toMatchObject({ outcome: { kind: "done", branch: "event" } });
  });

  test.each([
    ["the same event", since, "purchase"],
    ["an earlier one", event(999), "purchase"],
    ["another name", event(2_000), "signup"],
    ["one at the instant of its timeout", newIdAt(now + 60_000), "purchase"],
    ["one after its timeout", newIdAt(now + 60_001), "purchase"],
  ])("does not count %s", (_, id, name) => {
    expect(wakeByEvent(waiting, { id, name })).toBe(waiting);
  });

  test("goes on by its timeout, and then no event counts", () => {
    const awake = wakeByTime(waiting, now + 60_000);
    expect(awake).toMatchObject({ outcome: { kind: "done", branch: "timeout" }, since: null });
    expect(wakeByEvent(awake, { id: event(2_000), name: "purchase" })).toBe(awake);
  });

  test("counts from the event that woke the run, if it comes right after", () => {
    const graph = { steps, transitions: [way(trigger, wait), way(delay, wait)] };
    const started = startPosition(now, since);
    expect(through(graph, started, { kind: "done" })).toMatchObject({ stepId: wait, since });
    expect(leadsToWait(graph, trigger)).toBe(true);
    expect(leadsToWait(graph, mail)).toBe(false);
    // After any other step, the log is asked anew.
    const later = through(line, started, { kind: "done" }, { kind: "done" });
    expect(later).toMatchObject({ stepId: wait, since: null });
  });
});

describe("a step that fails", () => {
  test("is tried five times, later each time", () => {
    let position = standing(mail);
    const waits: number[] = [];
    for (let turn = 1; turn < 5; turn++) {
      const failed = afterFailedTry(position, "Broken", now);
      expect(failed.outcome.kind).toBe("later");
      const { position: resting } = advance(line, failed.position, failed.outcome, now);
      waits.push((resting.wakeAt ?? 0) - now);
      position = wakeByTime(resting, resting.wakeAt ?? 0);
      expect(position).toMatchObject({ status: "RUNNING", stepId: mail, outcome: null, attempts: turn });
    }
    expect(waits).toEqual([5_000, 20_000, 80_000, 320_000]);
    const last = afterFailedTry(position, "Broken", now);
    const { position: over, record } = advance(line, last.position, last.outcome, now);
    expect(over).toMatchObject({ status: "FAILED", error: "Broken" });
    expect(record).toMatchObject({ status: "FAILED", error: "Broken" });
  });
});

test("what is said of a failure is cut where a sentence would end", () => {
  const long = { kind: "failed", reason: "x".repeat(10_000) } as const;
  const { position, record } = advance(line, standing(mail), long, now);
  expect([position.error?.length, record?.error?.length]).toEqual([500, 500]);
});

describe("a step that somebody else does", () => {
  const called = through(line, standing(mail), { kind: "called", until: now + 120_000 });

  test("is over with the report", () => {
    expect(called).toMatchObject({ status: "WAITING", pause: "call" });
    expect(wakeByReport(called, mail, { kind: "done" })).toMatchObject({
      status: "RUNNING",
      outcome: { kind: "done" },
    });
    expect(wakeByReport(called, delay, { kind: "done" })).toBe(called);
  });

  test("is asked for again when nothing was heard, and a late report still counts", () => {
    const again = wakeByTime(called, now + 120_000);
    expect(again).toMatchObject({ status: "RUNNING", outcome: null });
    expect(wakeByReport(again, mail, { kind: "done" }).outcome).toEqual({ kind: "done" });
  });
});
