import { expect } from "vitest";
import type { FilterCondition } from "../../src/core/audience/condition";
import type { Unit } from "../../src/core/audience/dates";
import type { Scalar } from "../../src/core/audience/operand";
import type { Operator } from "../../src/core/audience/operators";
import { type Answer, bearer, call, type TestProject } from "./project";

/** One filter as a whole condition. */
export function only(field: string, operator: Operator, value?: Scalar, unit?: Unit): FilterCondition {
  return {
    logic: "AND",
    groups: [{ filters: [{ field, operator, ...(value !== undefined && { value }), ...(unit && { unit }) }] }],
  };
}

export const isPro = only("data.plan", "equals", "pro");

/** A segment of the project, with the given fields over a sound one. */
export async function newSegment(project: TestProject, fields: Record<string, unknown> = {}): Promise<Answer["body"]> {
  const { status, body } = await project.api.post("/segments", { name: "Pro", condition: isPro, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

export async function newContact(project: TestProject, email: string, fields: Record<string, unknown> = {}) {
  const { status, body } = await project.api.post("/contacts", { email, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  const { _meta, ...contact } = body;
  return contact;
}

export function addMembers(project: TestProject, id: string, body: unknown): Promise<Answer> {
  return project.api.post(`/segments/${id}/members`, body);
}

export function removeMembers(project: TestProject, id: string, body?: unknown): Promise<Answer> {
  return call("DELETE", `/segments/${id}/members`, body, bearer(project.keys.secret));
}

/** The addresses on a page of a segment's contacts. */
export async function membersOf(project: TestProject, id: string, query = ""): Promise<string[]> {
  const { status, body } = await project.api.get(`/segments/${id}/contacts${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ email }: { email: string }) => email);
}
