import { expect, it } from "vitest";
import { asId } from "../../../src/core/ids";
import { drawDiagram } from "../../../src/core/workflows/diagram";
import type { Graph, Step, Transition } from "../../../src/core/workflows/step";

const step = (id: string, type: "TRIGGER" | "EXIT", name: string): Step => ({
  ...{ id: asId(id), type, name, templateId: null },
  config: {},
});
const way = (id: string, from: string, to: string, branch: string | null = null): Transition => ({
  ...{ id: asId(id), fromStepId: asId(from), toStepId: asId(to), branch, priority: 0 },
});

it("draws steps by their types, ways by their branches, and who waits where", () => {
  const graph: Graph = {
    steps: [
      step("3", "EXIT", "Done"),
      step("1", "TRIGGER", "TRIGGER"),
      {
        id: asId("2"),
        type: "CONDITION",
        name: "Pro?",
        config: { field: "data.plan", operator: "exists" },
        templateId: null,
      },
    ],
    transitions: [way("b", "2", "3", "yes"), way("a", "1", "2"), way("c", "2", "gone", "no")],
  };
  expect(drawDiagram(graph, new Map([[asId("2"), 12_000]]))).toBe(
    [
      "flowchart TD",
      '  s0(["TRIGGER"])',
      '  s1{"Pro?<br>CONDITION<br>12000 waiting"}',
      '  s2(["Done<br>EXIT"])',
      "  s0 --> s1",
      '  s1 -->|"yes"| s2',
      "",
    ].join("\n"),
  );
});

it("lets no name leave its quotes, or be read as HTML, Markdown or a directive", () => {
  const text = drawDiagram(
    { steps: [step("1", "EXIT", '"]; click s0 "javascript:1"\n%%{init}%% <b>*_#`|')], transitions: [] },
    new Map(),
  );
  const [, node = "", ...rest] = text.split("\n");
  expect(rest).toEqual([""]);
  expect(node).toBe(
    '  s0(["#34;#93;; click s0 #34;javascript:1#34; #37;#37;#123;init#125;#37;#37; #60;b#62;#42;_#35;#96;#124;<br>EXIT"])',
  );
});
