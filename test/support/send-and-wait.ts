import { expect, vi } from "vitest";
import { type Answer, call, type TestProject } from "./project";

/** The record of an email once it has come to rest in the given status. */
export async function emailIn(project: TestProject, emailId: string, status: string): Promise<Answer["body"]> {
  return vi.waitFor(
    async () => {
      const { body } = await project.api.get(`/emails/${emailId}`);
      expect(body.status, body.error).toBe(status);
      return body;
    },
    { timeout: 15_000, interval: 20 },
  );
}

/** The ids of the emails a call of `/v1/send` made. Fails when it was refused. */
export function emailIds(sent: Answer): string[] {
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  return sent.body.data.emails.map((item: { email: string }) => item.email);
}

/** Sends to one recipient and waits until the email rests in the given status. */
export async function sendAndWait(
  project: TestProject,
  fields: Record<string, unknown>,
  status = "DELIVERED",
): Promise<Answer["body"]> {
  const [id = ""] = emailIds(await project.api.send(fields));
  return emailIn(project, id, status);
}

/** The mail that the recipient of a delivered email opens, with its MIME source. */
export async function mailOf(project: TestProject, emailId: string): Promise<Answer["body"]> {
  const { providerMessageId } = await emailIn(project, emailId, "DELIVERED");
  const { status, body } = await call("GET", `/outbox/messages/${providerMessageId}`);
  expect(status).toBe(200);
  return body;
}

/** Sends to one recipient and opens what arrives. */
export async function sendAndOpen(project: TestProject, fields: Record<string, unknown>): Promise<Answer["body"]> {
  const [id = ""] = emailIds(await project.api.send(fields));
  return mailOf(project, id);
}

/** The contact behind the only recipient of a call. */
export async function contactOf(project: TestProject, sent: Answer): Promise<Answer["body"]> {
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  return (await project.api.get(`/contacts/${sent.body.data.emails[0].contact.id}`)).body;
}
