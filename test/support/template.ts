import { expect } from "vitest";
import type { Answer, TestProject } from "./project";

/** What a sound `POST /templates` says. */
export function soundTemplate(project: TestProject): Record<string, unknown> {
  return {
    name: "Welcome",
    subject: "Hello {{ firstName }}",
    body: "<p>Hello {{ firstName }}</p>",
    from: `hello@${project.domain}`,
  };
}

/** A template of the project, with the given fields over a sound one. */
export async function newTemplate(project: TestProject, fields: Record<string, unknown> = {}): Promise<Answer["body"]> {
  const { status, body } = await project.api.post("/templates", { ...soundTemplate(project), ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}
