import { describe, expect, it } from "vitest";
import { asId, newId, publicId } from "../../../src/core/ids";
import {
  compareSteps,
  type DocumentStep,
  type DocumentTransition,
  drawAll,
  inOrder,
  keyFaults,
  keyOf,
  StepKey,
  withOrdinals,
} from "../../../src/core/workflows/document";
import type { Step, StepType } from "../../../src/core/workflows/step";

function given(key: string, fields: Partial<DocumentStep> = {}): DocumentStep {
  return { key, type: "EXIT", name: "EXIT", config: {}, templateId: null, position: { x: 0, y: 0 }, ...fields };
}

describe("the key of a step", () => {
  it("is its author's, or its id, and that of TRIGGER is its own", () => {
    const id = newId();
    expect(keyOf({ type: "EXIT", id, key: "end" })).toBe("end");
    expect(keyOf({ type: "EXIT", id, key: null })).toBe(publicId(id));
    expect(keyOf({ type: "TRIGGER", id, key: null })).toBe("trigger");
  });

  it.each([
    ["welcome", true],
    ["A-1_b", true],
    ["x".repeat(64), true],
    [publicId(newId()), true],
    ["", false],
    ["x".repeat(65), false],
    ["two words", false],
    ["ü", false],
    ["a.b", false],
    ["a\n", false],
  ])("%j is one: %s", (key, isKey) => {
    expect(StepKey.safeParse(key).success).toBe(isKey);
  });

  it.each<[what: string, steps: [key: string, type: StepType][], fields: string[]]>([
    [
      "all different",
      [
        ["a", "EXIT"],
        ["b", "EXIT"],
      ],
      [],
    ],
    [
      "TRIGGER among them",
      [
        ["a", "EXIT"],
        ["trigger", "TRIGGER"],
      ],
      [],
    ],
    [
      "twice the same",
      [
        ["a", "EXIT"],
        ["b", "EXIT"],
        ["a", "DELAY"],
        ["a", "EXIT"],
      ],
      ["steps[2].key", "steps[3].key"],
    ],
    ["TRIGGER under another", [["start", "TRIGGER"]], ["steps[0].key"]],
    ["that of TRIGGER for another", [["trigger", "EXIT"]], ["steps[0].key"]],
    [
      "two TRIGGER",
      [
        ["trigger", "TRIGGER"],
        ["trigger", "TRIGGER"],
      ],
      ["steps[1].key"],
    ],
  ])("%s", (_, steps, fields) => {
    expect(keyFaults(steps.map(([key, type]) => ({ key, type }))).map(({ field }) => field)).toEqual(fields);
  });
});

/** Steps of a graph by their keys, which are their ids as well. */
const steps = new Map(
  Object.entries({ trigger: "TRIGGER", ask: "CONDITION", wait: "WAIT_FOR_EVENT", rest: "DELAY", end: "EXIT" }).map(
    ([key, type]) => {
      const config = type === "CONDITION" ? { field: "data.plan", operator: "exists" } : {};
      return [key, { id: asId(key), type, name: key, config, templateId: null } as unknown as Step];
    },
  ),
);

type Way = [from: string, to: string, branch?: string];
const ways = (some: Way[]): DocumentTransition[] =>
  some.map(([from, to, branch = null]) => ({ from, to, branch, priority: 0 }));

describe("the transitions of a document", () => {
  it.each<[what: string, drawn: Way[], fields: string[]]>([
    [
      "a whole graph",
      [
        ["trigger", "ask"],
        ["ask", "wait", "yes"],
        ["ask", "end", "no"],
        ["wait", "rest", "event"],
        ["wait", "end", "timeout"],
      ],
      [],
    ],
    [
      "from nowhere and to nowhere",
      [
        ["trigger", "ask"],
        ["no", "where"],
      ],
      ["transitions[1].from", "transitions[1].to"],
    ],
    ["a self-loop", [["rest", "rest"]], ["transitions[0].to"]],
    ["out of EXIT", [["end", "rest"]], ["transitions[0].from"]],
    ["into TRIGGER", [["rest", "trigger"]], ["transitions[0].to"]],
    [
      "a circle",
      [
        ["rest", "wait"],
        ["wait", "rest"],
      ],
      ["transitions[1].to"],
    ],
    [
      "the same branch twice",
      [
        ["ask", "rest", "yes"],
        ["ask", "end", "yes"],
      ],
      ["transitions[1].branch"],
    ],
    [
      "a second edge out of a step without branches",
      [
        ["rest", "wait"],
        ["rest", "end"],
      ],
      ["transitions[1].from"],
    ],
    [
      "a branch that is missing, and one that is not there",
      [
        ["ask", "end"],
        ["rest", "end", "yes"],
      ],
      ["transitions[0].branch", "transitions[1].branch"],
    ],
  ])("%s", (_, drawn, fields) => {
    expect(drawAll(steps, ways(drawn)).faults.map(({ field }) => field)).toEqual(fields);
  });

  it("are drawn between the steps of these keys, and a key that is nearly one is named", () => {
    expect(drawAll(steps, ways([["trigger", "rest"]])).drawn).toEqual([
      { fromStepId: "trigger", toStepId: "rest", branch: null, priority: 0 },
    ]);
    expect(drawAll(steps, ways([["trigger", "rset"]])).faults[0]?.message).toContain("did you mean rest?");
  });
});

describe("two documents", () => {
  const delay = (amount: number) => given("rest", { type: "DELAY", config: { amount, unit: "days" } });
  it.each<
    [what: string, before: DocumentStep[], after: DocumentStep[], difference: Partial<ReturnType<typeof compareSteps>>]
  >([
    ["none and none", [], [], {}],
    ["a first one", [], [given("a"), given("b")], { created: ["a", "b"] }],
    ["the same", [given("a"), delay(1)], [given("a"), delay(1)], { unchanged: ["a", "rest"] }],
    ["in another order", [given("a"), given("b")], [given("b"), given("a")], { unchanged: ["b", "a"] }],
    ["another config", [given("a"), delay(1)], [given("a"), delay(2)], { changed: ["rest"], unchanged: ["a"] }],
    ["another name", [given("a")], [given("a", { name: "End" })], { changed: ["a"] }],
    ["another position", [given("a")], [given("a", { position: { x: 1, y: 0 } })], { changed: ["a"] }],
    ["another template", [given("a")], [given("a", { templateId: "t" })], { changed: ["a"] }],
    ["one less", [given("a"), given("b")], [given("b")], { removed: ["a"], unchanged: ["b"] }],
    ["another key", [given("a")], [given("b")], { created: ["b"], removed: ["a"] }],
  ])("%s", (_, before, after, difference) => {
    expect(compareSteps(before, after)).toEqual({
      created: [],
      changed: [],
      removed: [],
      unchanged: [],
      ...difference,
    });
  });
});

describe("the order of rows", () => {
  const row = (id: string, ordinal: number | null = null) => ({ id: asId(id), ordinal });
  it.each<[what: string, rows: ReturnType<typeof row>[], order: string]>([
    ["is that of their ids", [row("b"), row("a")], "ab"],
    ["is that of their ordinals first", [row("a"), row("b", 1), row("c", 0)], "cba"],
  ])("%s", (_, rows, order) => {
    expect(inOrder(rows).map(({ id }) => id)).toEqual([...order]);
  });

  it("is written only where it is another", () => {
    const asMade = [row("a"), row("b")];
    expect(withOrdinals(asMade)).toEqual(asMade);
    expect(withOrdinals(asMade.toReversed())).toEqual([row("b", 0), row("a", 1)]);
    expect(inOrder(withOrdinals([row("c"), row("a", 0), row("b", 1)]))).toEqual([
      row("c", 0),
      row("a", 1),
      row("b", 2),
    ]);
  });
});
