import { expect, it } from "vitest";
import { asId } from "../../../src/core/ids";
import { type MailAhead, mailAhead } from "../../../src/core/workflows/mail-ahead";
import type { Graph, Step } from "../../../src/core/workflows/step";

const step = (name: string, type: Step["type"], config: object = {}) =>
  ({ id: asId(name), type, name, config, templateId: null }) as Step;

const steps = [
  step("trigger", "TRIGGER"),
  step("pro", "CONDITION", { field: "data.plan", operator: "equals", value: "pro" }),
  step("wait", "WAIT_FOR_EVENT", { eventName: "purchase", timeout: 60 }),
  step("mail", "SEND_EMAIL"),
  step("other", "SEND_EMAIL"),
  step("exit", "EXIT"),
];

function graph(...ways: [from: string, to: string, branch?: string][]): Graph {
  const transitions = ways.map(([from, to, branch = null]) => ({
    ...{ id: asId(`${from}-${to}`), fromStepId: asId(from), toStepId: asId(to), branch, priority: 0 },
  }));
  return { steps, transitions };
}

it.each<[what: string, Graph, from: string, MailAhead]>([
  ["stands at a mail", graph(), "mail", "always"],
  ["comes to one", graph(["trigger", "mail"]), "trigger", "always"],
  ["comes to none", graph(["trigger", "exit"]), "trigger", "never"],
  ["has nothing ahead", graph(), "trigger", "never"],
  ["stands at a step that is gone", graph(["gone", "mail"]), "gone", "never"],
  ["comes to one by either branch", graph(["pro", "mail", "yes"], ["pro", "other", "no"]), "pro", "always"],
  ["comes to one by one branch", graph(["pro", "mail", "yes"], ["pro", "exit", "no"]), "pro", "perhaps"],
  ["may end at a branch that is not drawn", graph(["pro", "mail", "yes"]), "pro", "perhaps"],
  ["waits, and goes on either way", graph(["wait", "mail"]), "wait", "always"],
  ["waits, and only the event leads on", graph(["wait", "mail", "event"]), "wait", "perhaps"],
  ["comes to one after a branch", graph(["trigger", "pro"], ["pro", "mail", "no"]), "trigger", "perhaps"],
])("an execution that %s: %#", (_, drawn, from, ahead) => {
  expect(mailAhead(drawn, asId(from))).toBe(ahead);
});
