import { expect } from "vitest";
import type { Answer, TestProject } from "./project";

/** A workflow of the project that starts by `signup`, with the given fields over a sound one. */
export async function newWorkflow(project: TestProject, fields: Record<string, unknown> = {}): Promise<Answer["body"]> {
  const { status, body } = await project.api.post("/workflows", { name: "Welcome", eventName: "signup", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** The id of the step that every workflow has. */
export function triggerOf(workflow: Answer["body"]): string {
  return workflow.steps[0].id;
}

/** A step of the workflow: a delay of a day unless the fields say otherwise. */
export async function newStep(
  project: TestProject,
  workflowId: string,
  fields: Record<string, unknown> = {},
): Promise<Answer["body"]> {
  const sound = { type: "DELAY", config: { amount: 1, unit: "days" } };
  const { status, body } = await project.api.post(`/workflows/${workflowId}/steps`, { ...sound, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

export function draw(
  project: TestProject,
  workflowId: string,
  [fromStepId, toStepId, branch]: [from: string, to: string, branch?: string],
): Promise<Answer> {
  return project.api.post(`/workflows/${workflowId}/transitions`, { fromStepId, toStepId, branch });
}
