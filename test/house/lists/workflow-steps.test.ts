import { expect, it, vi } from "vitest";
import { newIdAt } from "../../../src/core/ids";
import type { StepDefinition } from "../../../src/core/workflows/steps/definition";

// Two types of step that workflows do not have. All that says something of steps has to know them by the list alone.
vi.mock("../../../src/core/workflows/step-definitions", async (original) => {
  const actual = await original<typeof import("../../../src/core/workflows/step-definitions")>();
  const { z } = await import("zod");
  const coin = {
    does: "sends half of the contacts one way",
    shape: ["[/", "/]"],
    config: z.object({ share: z.number().min(0).max(1) }).meta({ id: "TossCoinStepConfig", example: { share: 0.5 } }),
    foreignNames: [{ name: "odds", standsFor: "share", advice: "Use share" }],
    branches: { are: "`heads` or `tails`", namesOf: () => ["heads", "tails"], areOptional: false },
    decide: ({ share }, enteredAt) => ({ kind: "done", branch: enteredAt % 10 < share * 10 ? "heads" : "tails" }),
    text: ({ share }) => `${share * 100} %`,
    issues: ({ share }, { drawn }) =>
      share === 0 && drawn.includes("heads") ? ["Its branch heads is never taken."] : [],
  } satisfies StepDefinition<{ share: number }>;
  const gift = {
    does: "waits until the contact gets a gift",
    shape: ["[", "]"],
    config: z.object({ note: z.string().nullish() }).meta({ id: "SendGiftStepConfig", example: {} }),
    wait: () => ({ eventName: "gift", timeoutMs: null }),
    text: () => "",
    writes: () => ["data.gifts"],
    references: () => ({ events: ["gift"], fields: ["data.gifts"] }),
  } satisfies StepDefinition<{ note?: string | null | undefined }>;
  return { ...actual, stepDefinitions: { ...actual.stepDefinitions, TOSS_COIN: coin, SEND_GIFT: gift } };
});

const [config, names, issues, references, diagram, structure, simulation, guide, documents, env, routes, path] =
  await Promise.all([
    import("../../../src/core/workflows/config"),
    import("../../../src/core/workflows/config-names"),
    import("../../../src/core/workflows/issues"),
    import("../../../src/core/workflows/references"),
    import("../../../src/core/workflows/diagram"),
    import("../../../src/core/workflows/structure"),
    import("../../../src/engine/workflows/simulation/simulate"),
    import("../../../src/http/guide"),
    import("../../../src/http/document"),
    import("../../../src/platform/env"),
    import("../../../src/features/workflows/routes"),
    import("../../../src/features/workflows/executions/path"),
  ]);

const [trigger, coin, gift] = [newIdAt(1), newIdAt(2), newIdAt(3)];

/** A workflow: the trigger, a coin, and a gift for those with heads. */
function graphWith(share: number) {
  const transition = { branch: null, priority: 0 };
  // The compiler knows no such types.
  return {
    steps: [
      { templateId: null, id: trigger, type: "TRIGGER", name: "TRIGGER", config: {} },
      { templateId: null, id: coin, type: "TOSS_COIN", name: "Luck", config: { share } },
      { templateId: null, id: gift, type: "SEND_GIFT", name: "Gift", config: {} },
    ],
    transitions: [
      { ...transition, id: newIdAt(4), fromStepId: trigger, toStepId: coin },
      { ...transition, id: newIdAt(5), fromStepId: coin, toStepId: gift, branch: "heads" },
    ],
  } as never;
}

const byEvent = {
  triggerType: "EVENT",
  triggerConfig: { eventName: "segment.vip.entry", publicEvents: false },
} as const;

it("a step that is added to the list is in the document, as a response and as two requests", () => {
  const given = { origin: "https://petrel.example", config: env.readConfig({} as never) };
  const { components } = documents.documentOf(routes.workflows.router.routes, given);
  const schemas = JSON.parse(JSON.stringify(components?.schemas));
  expect(schemas.TossCoinStepConfig.properties.share).toMatchObject({ type: "number", maximum: 1 });
  for (const name of ["TossCoinStep", "CreateTossCoinStep", "DocumentTossCoinStep", "PutDocumentTossCoinStep"]) {
    expect(schemas[name].properties.config, name).toEqual({ $ref: "#/components/schemas/TossCoinStepConfig" });
  }
  expect(schemas.WorkflowStep.discriminator.mapping.TOSS_COIN).toBe("#/components/schemas/TossCoinStep");
  expect(schemas.CreateSendGiftStep.required).not.toContain("config");
  expect(schemas.CreateTossCoinStep.required).toContain("config");
  expect(JSON.stringify(schemas.CreateWorkflowTransition)).toContain("From a TOSS_COIN: `heads` or `tails`.");
});

it("is read by its schema, and its names are known", () => {
  expect(config.readConfig("TOSS_COIN" as never, { share: 0.5 })).toEqual({ share: 0.5 });
  expect(() => config.readConfig("TOSS_COIN" as never, { share: 2 })).toThrow();
  expect(() => config.readConfig("TOSS_COIN" as never, { odds: 2 })).toThrow("Use share");
  expect(names.configNames).toContain("share");
  expect(names.foreignNames("DELAY", { share: 1 })).toEqual([
    { field: "config.share", message: "Not in the config of a DELAY step, and ignored. It belongs to TOSS_COIN." },
  ]);
});

it("has its branches, which transitions must name", () => {
  const graph = graphWith(0.5);
  const drawing = { fromStepId: coin, toStepId: gift, branch: null };
  expect(structure.drawingFault(graph, drawing)?.message).toBe('Out of "Luck", name a branch: heads, tails');
  expect(structure.drawingFault(graph, { ...drawing, branch: "tails" })).toBeNull();
});

it("has its issues, and closes a circle by the fields it writes", () => {
  const segment = { name: "VIP", references: { fields: ["data.gifts"], events: [] } };
  const messages = issues.issuesOf(byEvent, graphWith(0), segment).map(({ message }) => message);
  expect(messages).toEqual([
    "Its branch heads is never taken.",
    expect.stringContaining("It changes who is in the segment VIP"),
  ]);
  expect(references.workflowReferences(byEvent, graphWith(0))).toMatchObject({
    ...{ events: ["gift", "segment.vip.entry"], fields: ["data.gifts"] },
  });
  expect(references.awaitedEvents(graphWith(0))).toEqual(["gift"]);
});

it("is drawn with its shape and its text", () => {
  const drawn = diagram.drawDiagram(graphWith(0.5), { trigger: byEvent, templates: new Map(), counts: new Map() });
  expect(drawn).toContain('s1[/"Luck<br>TOSS_COIN<br>50 #37;"/]');
  expect(drawn).toContain('s2["Gift<br>SEND_GIFT"]');
});

it("is simulated: decided, or waited for", async () => {
  const given = {
    ...{ workflow: { id: trigger, name: "Luck", linkBase: null }, contact: { id: trigger }, start: null, events: [] },
    ...{ graph: graphWith(1), until: null },
  };
  const { position, records } = await simulation.simulate({ now: new Date(7) } as never, given as never);
  expect(position).toMatchObject({ status: "WAITING", stepId: gift, awaits: "gift" });
  expect(records.map(({ type, branch }) => [type, branch])).toEqual([
    ["TRIGGER", null],
    ["TOSS_COIN", "heads"],
    ["SEND_GIFT", null],
  ]);
});

it("is in the guide, and in the records of executions", () => {
  expect(guide.guide("https://petrel.example", { readsCopies: false })).toContain(
    "| `TOSS_COIN` | Sends half of the contacts one way | `heads` or `tails` |",
  );
  expect(path.PathStep.shape.type.options).toContain("TOSS_COIN");
});
