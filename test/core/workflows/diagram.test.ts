import { expect, it } from "vitest";
import { asId } from "../../../src/core/ids";
import { type DiagramParts, drawDiagram } from "../../../src/core/workflows/diagram";
import type { Graph, Step, StepType, Transition } from "../../../src/core/workflows/step";

const step = (id: string, type: "TRIGGER" | "EXIT", name: string): Step => ({
  ...{ id: asId(id), type, name, templateId: null },
  config: {},
});
const way = (id: string, from: string, to: string, branch: string | null = null): Transition => ({
  ...{ id: asId(id), fromStepId: asId(from), toStepId: asId(to), branch, priority: 0 },
});

const nothing: DiagramParts = {
  trigger: { triggerType: "EVENT", triggerConfig: { eventName: "signup", publicEvents: true } },
  templates: new Map(),
  counts: new Map(),
};

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
  const counts = { entered: 20_000, waiting: 12_000, branches: [{ branch: "yes", count: 7 }] };
  expect(drawDiagram(graph, { ...nothing, counts: new Map([[asId("2"), counts]]) })).toBe(
    [
      "flowchart TD",
      '  s0(["TRIGGER<br>on signup"])',
      '  s1{"Pro?<br>CONDITION<br>data.plan exists<br>20000 entered, 12000 waiting"}',
      '  s2(["Done<br>EXIT"])',
      "  s0 --> s1",
      '  s1 -->|"yes: 7"| s2',
      "",
    ].join("\n"),
  );
});

it("lets no name leave its quotes, or be read as HTML, Markdown or a directive", () => {
  const text = drawDiagram(
    { steps: [step("1", "EXIT", '"]; click s0 "javascript:1"\n%%{init}%% <b>*_#`|')], transitions: [] },
    nothing,
  );
  const [, node = "", ...rest] = text.split("\n");
  expect(rest).toEqual([""]);
  expect(node).toBe(
    '  s0(["#34;#93;; click s0 #34;javascript:1#34; #37;#37;#123;init#125;#37;#37; #60;b#62;#42;_#35;#96;#124;<br>EXIT"])',
  );
});

function textOf(type: StepType, config: object, more: Partial<DiagramParts> = {}): string {
  const one = { id: asId("1"), type, name: "n", config, templateId: null } as Step;
  const [, node = ""] = drawDiagram({ steps: [one], transitions: [] }, { ...nothing, ...more }).split("\n");
  return /"n<br>\w+(?:<br>(.*))?"/.exec(node)?.[1] ?? "";
}

it.each<[StepType, object, string]>([
  ["SEND_EMAIL", {}, "no template"],
  ["DELAY", { amount: 2, unit: "days" }, "2 days"],
  ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 259_200 }, "purchase, 3 days at most"],
  ["WAIT_FOR_EVENT", { eventName: "purchase", timeout: 90 }, "purchase, 90 seconds at most"],
  ["WAIT_FOR_EVENT", { eventName: "purchase" }, "purchase"],
  ["CONDITION", { field: "data.age", operator: "greaterThan", value: 3 }, "data.age greaterThan 3"],
  ["CONDITION", { mode: "multi", field: "data.plan", branches: [] }, "data.plan"],
  ["WEBHOOK", { url: "https://a.example/x?key=secret", method: "POST" }, "POST https://a.example/x"],
  ["UPDATE_CONTACT", { data: { tier: "gold" }, subscribed: false }, "tier, unsubscribed"],
  ["EXIT", {}, ""],
  ["EXIT", { reason: "1. No" }, "1#46; No"],
  ["EXIT", { reason: "- no" }, "#45; no"],
])("says what a %s is set up to do: %j", (type, config, expected) => expect(textOf(type, config)).toBe(expected));

it("names the template of a mail, and its subject", () => {
  const template = { name: "Welcome", subject: "Hello {{ firstName }}" };
  expect(textOf("SEND_EMAIL", {}, { templates: new Map([[asId("1"), template]]) })).toBe(
    "Welcome: Hello #123;#123; firstName #125;#125;",
  );
});

const safe = /^(?:[\p{L}\p{N} .,:;!?()+=/@_…-]|#\d+;|<br>)*$/u;
const line =
  /^ {2}(?:s\d+(?:\(\["(.*)"\]\)|\["(.*)"\]|\[\["(.*)"\]\]|\{"(.*)"\}|\{\{"(.*)"\}\})|s\d+ -->(?:\|"(.*)"\|)? s\d+)$/u;

it("has nothing but nodes, ways and safe letters, whatever names, events, subjects and branches say", () => {
  const hostile = ['"]\n  s9["x', "#quot;", "a|b", "`**x**`", "%% end", "</br><script>", "\u2028}}", "end", "&amp;"];
  for (const name of hostile) {
    const filter = { field: `data.${name}`, operator: "equals", value: name };
    const steps = [
      { ...step("1", "TRIGGER", name) },
      { id: asId("2"), type: "CONDITION", name, config: filter, templateId: null },
      { id: asId("3"), type: "SEND_EMAIL", name, config: {}, templateId: null },
    ] as Step[];
    const text = drawDiagram(
      { steps, transitions: [way("a", "1", "2"), way("b", "2", "3", name)] },
      {
        trigger: { triggerType: "EVENT", triggerConfig: { eventName: name, publicEvents: true } },
        templates: new Map([[asId("3"), { name, subject: name }]]),
        counts: new Map(),
      },
    );
    const [head, ...rest] = text.trimEnd().split("\n");
    expect([head, rest.length]).toEqual(["flowchart TD", 5]);
    for (const one of rest) {
      const texts = line
        .exec(one)
        ?.slice(1)
        .filter((each) => each !== undefined);
      expect(texts, one).toBeDefined();
      for (const each of texts ?? []) expect(each).toMatch(safe);
    }
  }
});
