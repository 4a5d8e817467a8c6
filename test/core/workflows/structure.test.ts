import { describe, expect, it } from "vitest";
import { type Id, newId } from "../../../src/core/ids";
import type { Graph, Step, Transition } from "../../../src/core/workflows/step";
import type { ConditionConfig } from "../../../src/core/workflows/steps/condition-config";
import { drawingFault, lostBranches, reachableFrom, splice } from "../../../src/core/workflows/structure";

const ids = new Map<string, Id>();
function idOf(name: string): Id {
  const id = ids.get(name) ?? newId();
  ids.set(name, id);
  return id;
}

const plan: ConditionConfig = { field: "data.plan", operator: "exists" };
const several: ConditionConfig = {
  mode: "multi",
  field: "data.plan",
  branches: [{ id: "pro", name: "Pro", operator: "equals", value: "pro" }],
};

function step(name: string): Step {
  const base = { id: idOf(name), name, templateId: null };
  if (name.startsWith("trigger")) return { ...base, type: "TRIGGER", config: {} };
  if (name.startsWith("wait")) return { ...base, type: "WAIT_FOR_EVENT", config: { eventName: "purchase" } };
  if (name.startsWith("ask")) return { ...base, type: "CONDITION", config: plan };
  if (name.startsWith("multi")) return { ...base, type: "CONDITION", config: several };
  if (name.startsWith("exit")) return { ...base, type: "EXIT", config: {} };
  return { ...base, type: "DELAY", config: { amount: 1, unit: "days" } };
}

/** `a > b`, or `ask yes > b`. */
function graphOf(...drawn: string[]): Graph {
  const names = ["trigger", "a", "b", "c", "wait", "ask", "multi", "exit"];
  return { steps: names.map(step), transitions: drawn.map(transition) };
}

function transition(drawn: string): Transition {
  const [from = "", to = ""] = drawn.split(" > ");
  const [name = "", branch = null] = from.split(" ");
  return { id: newId(), fromStepId: idOf(name), toStepId: idOf(to), branch, priority: 0 };
}

/** The transition as it was written. */
function written({ fromStepId, toStepId, branch }: Transition): string {
  const name = (id: Id) => [...ids].find(([, one]) => one === id)?.[0] ?? "?";
  return `${name(fromStepId)}${branch === null ? "" : ` ${branch}`} > ${name(toStepId)}`;
}

describe("a transition", () => {
  it.each<[wanted: string, drawn: string[]]>([
    ["trigger > a", []],
    ["a > b", ["trigger > a"]],
    ["b > exit", ["a > exit"]],
    ["ask yes > a", ["ask no > a"]],
    ["ask no > a", ["trigger > ask"]],
    ["multi pro > a", []],
    ["multi default > a", ["multi pro > a"]],
    ["wait > a", []],
    ["wait event > a", ["wait > b"]],
    ["wait timeout > a", ["wait event > a"]],
    // Two ways that meet again are no loop.
    ["b > c", ["ask yes > a", "ask no > b", "a > c"]],
  ])("%s may be drawn beside %j", (wanted, drawn) => {
    expect(drawingFault(graphOf(...drawn), transition(wanted))).toBeNull();
  });

  it.each<[wanted: string, drawn: string[], field: string, message: string]>([
    ["a > a", [], "toStepId", "itself"],
    ["exit > a", [], "fromStepId", "EXIT ends"],
    ["a > trigger", [], "toStepId", "nothing leads into it"],
    ["b > a", ["a > b"], "toStepId", "loop"],
    ["c > a", ["a > ask", "ask yes > b", "b > c"], "toStepId", "loop"],
    ["wait timeout > a", ["a > wait"], "toStepId", "loop"],
    ["a > c", ["a > b"], "fromStepId", "has a transition already"],
    ["a > b", ["a > b"], "fromStepId", "has a transition already"],
    ["trigger > b", ["trigger > a"], "fromStepId", "has a transition already"],
    ["ask yes > b", ["ask yes > a"], "branch", "drawn already"],
    ["ask yes > a", ["ask yes > a"], "branch", "drawn already"],
    ["wait event > b", ["wait event > a"], "branch", "drawn already"],
    ["wait > b", ["wait > a"], "fromStepId", "has a transition already"],
    ["ask > a", [], "branch", "name a branch: yes, no"],
    ["multi > a", [], "branch", "name a branch: pro, default"],
    ["ask maybe > a", [], "branch", "no branch maybe: use yes, no"],
    ["multi yes > a", [], "branch", "no branch yes: use pro, default"],
    ["wait yes > a", [], "branch", "use event, timeout, or none"],
    ["a yes > b", [], "branch", "has no branches"],
  ])("%s may not be drawn beside %j", (wanted, drawn, field, message) => {
    const fault = drawingFault(graphOf(...drawn), transition(wanted));
    expect(fault?.field).toBe(field);
    expect(fault?.message).toContain(message);
  });
});

describe("a splice", () => {
  it.each<[drawn: string[], removed: string[], moved: string[]]>([
    [["trigger > a", "a > b"], ["a > b"], ["trigger > b"]],
    [["trigger > a"], ["trigger > a"], []],
    [["a > b"], ["a > b"], []],
    [["ask yes > a", "ask no > a", "a > exit"], ["a > exit"], ["ask yes > exit", "ask no > exit"]],
    [[], [], []],
  ])("of a among %j", (drawn, removed, moved) => {
    const spliced = splice(graphOf(...drawn), step("a"));
    expect(spliced?.removed.map(written)).toEqual(removed);
    expect(spliced?.moved.map(written)).toEqual(moved);
  });

  it("joins around a wait whose branches lead to one step", () => {
    const graph = graphOf("a > wait", "wait event > b", "wait timeout > b");
    expect(splice(graph, step("wait"))?.moved.map(written)).toEqual(["a > b"]);
  });

  it.each([
    ["ask", ["a > ask", "ask yes > b"]],
    ["multi", []],
    ["wait", ["a > wait", "wait event > b", "wait timeout > c"]],
  ])("of %s among %j cannot know the successor", (name, drawn) => {
    expect(splice(graphOf(...drawn), step(name))).toBeNull();
  });
});

it("names the branches that a changed step would lose", () => {
  const graph = graphOf("multi pro > a", "multi default > b");
  const changed: Step = { ...step("multi"), type: "CONDITION", config: plan };
  expect(lostBranches(graph, changed)).toEqual(["pro", "default"]);
  expect(lostBranches(graph, step("multi"))).toEqual([]);
});

it("finds what can be reached", () => {
  const graph = graphOf("trigger > ask", "ask yes > a", "ask no > exit", "b > c");
  expect([...reachableFrom(graph, idOf("trigger"))]).toEqual(["trigger", "ask", "a", "exit"].map(idOf));
});
