import { expect } from "vitest";
import { newId } from "../../src/core/ids";
import { type Answer, bearer, call, type TestProject } from "./project";

/** What a sound `POST /campaigns` says. */
export function soundCampaign(project: TestProject): Record<string, unknown> {
  return {
    name: "March",
    subject: "News for {{ firstName }}",
    body: "<p>Hello {{ firstName }}</p>",
    from: `news@${project.domain}`,
    audienceType: "ALL",
  };
}

/** A campaign of the project, with the given fields over a sound one. */
export async function newCampaign(project: TestProject, fields: Record<string, unknown> = {}): Promise<Answer["body"]> {
  const { status, body } = await project.api.post("/campaigns", { ...soundCampaign(project), ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
}

export function putCampaign(project: TestProject, id: string, body: unknown): Promise<Answer> {
  return call("PUT", `/campaigns/${id}`, body, bearer(project.keys.secret));
}

/** Contacts as rows, `0-1@example.com` and so on. */
export async function addContacts({ db, number }: TestProject, count: number, { subscribed = 1 } = {}): Promise<void> {
  const people = Array.from({ length: count }, (_, n) => [newId(), `${n}-${subscribed}@example.com`]);
  const made = db.prepare(
    `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
      SELECT ?1, value->>0, value->>1, ?2, '{}', 0, 0 FROM json_each(?3)`,
  );
  const counted = db.prepare(
    `INSERT INTO project_counts (project_id, contacts, subscribed)
      SELECT ?1, count(*), sum(subscribed) FROM contacts WHERE project_id = ?1
      ON CONFLICT DO UPDATE SET contacts = excluded.contacts, subscribed = excluded.subscribed`,
  );
  await db.batch([made.bind(number, subscribed, JSON.stringify(people)), counted.bind(number)]);
}
