import { describe, expect, it } from "vitest";
import { newId, publicId } from "../../../src/core/ids";
import { issuesOf, type TriggerSegment } from "../../../src/core/workflows/issues";
import { workflowReferences } from "../../../src/core/workflows/references";
import type { Step, StepOf, StepType } from "../../../src/core/workflows/step";
import { listenerOf, type Trigger } from "../../../src/core/workflows/trigger";

const template = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

function step<T extends StepType>(type: T, config: StepOf<T>["config"]): StepOf<T> {
  return { id: newId(), type, name: type, config, templateId: null };
}

/** The trigger, then these steps one after the other by way of their first branches. */
function chain(...steps: Step[]) {
  const all = [step("TRIGGER", {}) as Step, ...steps];
  const transitions = all.slice(1).map((to, index) => {
    const from = all[index];
    const branch = from?.type === "CONDITION" ? "yes" : null;
    return { id: newId(), fromStepId: from?.id ?? newId(), toStepId: to.id, branch, priority: 0 };
  });
  return { steps: all, transitions };
}

const byEvent = (eventName: string | null): Trigger => ({
  triggerType: "EVENT",
  triggerConfig: { eventName, publicEvents: true },
});
const signup = byEvent("signup");
const exit = step("EXIT", {});
const mail = step("SEND_EMAIL", { templateId: template });

function messages(trigger: Trigger, graph: ReturnType<typeof chain>, segment: TriggerSegment | null = null): string[] {
  return issuesOf(trigger, graph, segment).map(({ message }) => message);
}

describe("a circle over several workflows", () => {
  const leave = step("UPDATE_CONTACT", { subscribed: false });
  const other = (name: string, eventName: string, ...causes: string[]) => ({ name, eventName, causes });
  const byLeaving = byEvent("contact.unsubscribed");
  const told = (steps: Step[], ...others: ReturnType<typeof other>[]) =>
    issuesOf(byLeaving, chain(...steps), null, others).map(({ message }) => message);

  it.each([
    ["one", [other("B", "email.sent", "contact.unsubscribed")], '"B"'],
    [
      "two",
      [other("C", "contact.subscribed", "contact.unsubscribed"), other("B", "email.opened", "contact.subscribed")],
      '"B" and "C"',
    ],
    [
      "the shortest way",
      [
        other("C", "contact.subscribed", "contact.unsubscribed"),
        other("B", "email.opened", "contact.subscribed"),
        other("D", "email.opened", "contact.unsubscribed"),
      ],
      '"D"',
    ],
  ])("is named: over %s", (_, others, names) => {
    expect(told([mail], ...others)).toEqual([expect.stringContaining(`Through ${names}, which it may start`)]);
  });

  it("is none where the way leads elsewhere, in another circle, or begins at nothing", () => {
    expect(told([mail], other("B", "email.sent", "contact.subscribed"))).toEqual([]);
    expect(
      told([mail], other("B", "email.sent", "contact.subscribed"), other("C", "contact.subscribed", "email.sent")),
    ).toEqual([]);
    expect(told([exit], other("B", "email.sent", "contact.unsubscribed"))).toEqual([]);
    // Its own is told as such.
    expect(told([leave], other("B", "contact.unsubscribed", "contact.unsubscribed"))).toEqual([
      expect.stringMatching(/^It causes contact.unsubscribed/),
    ]);
  });
});

describe("a workflow's issues", () => {
  it.each<[what: string, trigger: Trigger, steps: Step[]]>([
    ["that mails once", signup, [mail, exit]],
    ["by hand, without an event", { triggerType: "MANUAL", triggerConfig: {} }, [exit]],
    ["by the clock", { triggerType: "SCHEDULE", triggerConfig: { cron: "0 9 * * *", segmentId: template } }, [mail]],
    [
      "that waits for what its mail brings about",
      signup,
      [mail, step("WAIT_FOR_EVENT", { eventName: "email.opened" })],
    ],
    [
      "started by a subscription, that writes data",
      byEvent("contact.subscribed"),
      [step("UPDATE_CONTACT", { data: { a: 1 } })],
    ],
    [
      "started by a subscription, that ends it",
      byEvent("contact.subscribed"),
      [step("UPDATE_CONTACT", { subscribed: false })],
    ],
  ])("are none for one %s", (_, trigger, steps) => {
    expect(messages(trigger, chain(...steps))).toEqual([]);
  });

  it.each<[what: string, trigger: Trigger, steps: Step[], message: string]>([
    ["no event name", byEvent(null), [exit], "no event name"],
    ["a trigger without a next step", signup, [], "Nothing comes after the trigger"],
    ["a mail without a template", signup, [step("SEND_EMAIL", {})], "no template"],
    [
      "a condition without a branch",
      signup,
      [step("CONDITION", { field: "email", operator: "exists" })],
      "branches is drawn",
    ],
    ["an update of nothing", signup, [step("UPDATE_CONTACT", {})], "changes nothing"],
    ["mail that starts it", byEvent("email.opened"), [mail], "causes email.opened"],
    [
      "a subscription that starts it",
      byEvent("contact.subscribed"),
      [step("UPDATE_CONTACT", { subscribed: true })],
      "causes contact.subscribed",
    ],
    [
      "an unsubscription that starts it",
      byEvent("contact.unsubscribed"),
      [step("UPDATE_CONTACT", { subscribed: false })],
      "causes contact.unsubscribed",
    ],
  ])("tell of %s", (_, trigger, steps, message) => {
    const told = messages(trigger, chain(...steps));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(message);
  });

  it("name the step that nothing leads to, and not what it would cause", () => {
    const graph = chain(exit);
    const lost = step("UPDATE_CONTACT", { subscribed: true });
    graph.steps.push(lost);
    expect(issuesOf(byEvent("contact.subscribed"), graph, null)).toEqual([
      { stepId: publicId(lost.id), message: expect.stringContaining("No step leads to this one") },
    ]);
  });

  it("tell of a branch timeout without a timeout", () => {
    const wait = step("WAIT_FOR_EVENT", { eventName: "purchase" });
    const graph = chain(wait, exit);
    const transitions = graph.transitions.map((drawn) =>
      drawn.fromStepId === wait.id ? { ...drawn, branch: "timeout" } : drawn,
    );
    expect(messages(signup, { ...graph, transitions })).toEqual([expect.stringContaining("never taken")]);
  });

  describe("with a segment as the trigger", () => {
    const enters = byEvent("segment.pro.entry");
    const segment = { name: "Pro", references: { fields: ["data.plan"], events: ["email.sent"] } };

    it.each<[what: string, step: Step]>([
      ["writes a field that the segment asks", step("UPDATE_CONTACT", { data: { plan: "x" } })],
      ["sends mail that the segment asks for", mail],
    ])("tell of a step that %s", (_, one) => {
      expect(messages(enters, chain(one), segment)).toEqual([expect.stringContaining("a loop")]);
    });

    it("are none for a step that touches nothing of it", () => {
      expect(messages(enters, chain(step("UPDATE_CONTACT", { data: { other: 1 } })), segment)).toEqual([]);
      expect(messages(enters, chain(mail), null)).toEqual([]);
    });
  });
});

it("collects what a workflow names, as segments do", () => {
  const graph = chain(
    step("WAIT_FOR_EVENT", { eventName: "purchase" }),
    step("CONDITION", { field: "contact.data.plan.tier", operator: "exists" }),
    step("CONDITION", {
      condition: {
        logic: "OR",
        groups: [
          {
            filters: [
              { field: "event.amount", operator: "exists" },
              { field: "topic.news", operator: "equals", value: true },
            ],
          },
          {
            filters: [{ field: "event.opened", operator: "triggered" }],
            conditions: {
              logic: "AND",
              groups: [{ filters: [{ field: `segment.${template}`, operator: "memberOfSegment" }] }],
            },
          },
        ],
      },
    }),
  );
  expect(workflowReferences(signup, graph)).toEqual({
    fields: ["data.plan", "data.plan.tier", "topic.news"],
    events: ["opened", "purchase", "signup"],
    segments: [template],
  });
});

it("listens while it is enabled and has an event, with or without public ones", () => {
  const id = newId();
  expect(listenerOf({ id, enabled: false, ...signup })).toBeNull();
  expect(listenerOf({ id, enabled: true, ...byEvent(null) })).toBeNull();
  expect(listenerOf({ id, enabled: true, triggerType: "MANUAL", triggerConfig: {} })).toBeNull();
  expect(listenerOf({ id, enabled: true, ...signup })).toEqual({ name: "signup", listenerId: `workflow:start:${id}` });
  const closed: Trigger = { triggerType: "EVENT", triggerConfig: { eventName: "signup", publicEvents: false } };
  expect(listenerOf({ id, enabled: true, ...closed })?.listenerId).toBe(`workflow:closed:${id}`);
});
