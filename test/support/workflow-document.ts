import { expect, vi } from "vitest";
import { type Answer, bearer, call, type TestProject } from "./project";

/** Some of a document, or of what is to be none. */
export type Sent = Record<string, unknown>;

/** A wait for a purchase that ends in one of two ways, by keys. */
export function awaitingPurchase(fields: Sent = {}): Sent {
  return {
    name: "Purchase",
    eventName: "signup",
    steps: [
      { key: "wait", type: "WAIT_FOR_EVENT", config: { eventName: "purchase", timeout: 86_400 } },
      { key: "bought", type: "EXIT", config: { reason: "bought" } },
      { key: "left", type: "EXIT", config: { reason: "left" } },
    ],
    transitions: [
      { from: "trigger", to: "wait" },
      { from: "wait", to: "bought", branch: "event" },
      { from: "wait", to: "left", branch: "timeout" },
    ],
    ...fields,
  };
}

/** A day's rest, and then another, by keys. */
export function twoDays(fields: Sent = {}): Sent {
  const day = { amount: 1, unit: "days" };
  return {
    name: "Two days",
    steps: [
      { key: "first", type: "DELAY", config: day },
      { key: "second", type: "DELAY", config: day },
    ],
    transitions: [
      { from: "trigger", to: "first" },
      { from: "first", to: "second" },
    ],
    ...fields,
  };
}

/** What is left of `twoDays` when the first step goes. */
export function secondDay(fields: Sent = {}): Sent {
  const { steps } = twoDays() as { steps: Sent[] };
  return twoDays({ steps: steps.slice(1), transitions: [{ from: "trigger", to: "second" }], ...fields });
}

/** Makes a whole workflow of a document. Returns its id. */
export async function newDocument(project: TestProject, document: Sent): Promise<string> {
  const { status, body } = await project.api.post("/workflows", document);
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body.warnings).toBeUndefined();
  return body.id;
}

export async function getDocument({ api }: TestProject, id: string): Promise<Answer["body"]> {
  const { status, body } = await api.get(`/workflows/${id}/document`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

export function putDocument({ keys }: TestProject, id: string, document: unknown, query = ""): Promise<Answer> {
  return call("PUT", `/workflows/${id}/document${query}`, document, bearer(keys.secret));
}

/** The ids of its steps, by their keys. */
export async function stepIds({ api }: TestProject, id: string): Promise<Record<string, string>> {
  const { steps } = (await api.get(`/workflows/${id}`)).body;
  return Object.fromEntries(steps.map((step: { id: string; key?: string }) => [step.key ?? step.id, step.id]));
}

/** Starts an execution of a new contact by hand, which then rests at the step with the key. Returns its path. */
export async function standAt(project: TestProject, id: string, key: string, email: string): Promise<string> {
  const { body: contact } = await project.api.post("/contacts", { email });
  const { body } = await project.api.post(`/workflows/${id}/executions`, { contactId: contact.id });
  const path = `/workflows/${id}/executions/${body.id}`;
  await inStatus(project, path, "WAITING");
  const { body: found } = await project.api.get(path);
  expect(found.currentStepId).toBe((await stepIds(project, id))[key]);
  return path;
}

/** The execution once it is in this status. */
export function inStatus({ api }: TestProject, path: string, status: string): Promise<Answer["body"]> {
  return vi.waitFor(
    async () => {
      const { body } = await api.get(path);
      expect(body.status, JSON.stringify(body)).toBe(status);
      return body;
    },
    { timeout: 15_000, interval: 50 },
  );
}
