import { expect } from "vitest";
import { type Answer, bearer, call, type TestProject } from "./project";

export interface TestTopic {
  id: string;
  slug: string;
  name: string;
}

/** A topic of the project, with the given fields over a sound one. */
export async function newTopic(project: TestProject, fields: Record<string, unknown> = {}): Promise<TestTopic> {
  const { status, body } = await project.api.post("/topics", { name: "News", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** `PUT /contacts/{id}/topics`. */
export function chooseTopics(project: TestProject, contactId: string, topics: unknown): Promise<Answer> {
  return call("PUT", `/contacts/${contactId}/topics`, { topics }, bearer(project.keys.secret));
}

/** `[name, topic]` of each topic event of the project, in their order. */
export async function topicEvents(project: TestProject): Promise<unknown[]> {
  const { results } = await project.db
    .prepare("SELECT name, data FROM events WHERE project_id = ? AND name LIKE 'contact.topic_%' ORDER BY id")
    .bind(project.id)
    .all<{ name: string; data: string }>();
  return results.map(({ name, data }) => [name.slice("contact.topic_".length), JSON.parse(data)]);
}
