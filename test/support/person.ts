import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { publicId } from "../../src/core/ids";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { databases } from "./database";
import { bearer, call, type TestProject } from "./project";
import { newTemplate } from "./template";
import type { World } from "./world";

export interface Person {
  id: string;
  email: string;
  /** Texts that are this person's alone: wherever one of them is found, the person is. */
  marks: string[];
}

let counter = 0;

/**
 * Somebody who has all that one can have here. The world carries the mail with the embedded outbox, which says of each
 * that the mailbox is full.
 */
export async function personWithEverything(world: World, project: TestProject, friend: string): Promise<Person> {
  world.settings = { MAIL_PROVIDER: "outbox" };
  const { api } = project;
  const mark = `mark${++counter}x${project.id.slice(-6)}`;
  const fileContent = btoa(`file of ${mark}`);
  const [former, email] = [`softbounce+former-${mark}@simulator.test`, `softbounce+${mark}@simulator.test`];
  const data = { firstName: `Ada ${mark}`, nested: { [mark]: [mark] } };
  const contact = await api.post("/contacts", { email: former, data });
  expect(contact.status).toBe(201);

  const file = { filename: `${mark}.txt`, content: fileContent, contentType: "text/plain" };
  const large = `<p>${mark} ${"long ".repeat(20_000)}</p>`;
  const secret = { secret: { value: mark, persistent: false } };
  const inline = {
    from: `hi@${project.domain}`,
    subject: `For ${mark}`,
    body: `<p>${mark} {{ secret }}</p>`,
    data: secret,
  };
  const template = { subject: "Hi {{ firstName }}", body: "<p>{{ firstName }}</p>", type: "TRANSACTIONAL" };
  const { id: small } = await newTemplate(project, template);
  const { id: big } = await newTemplate(project, {
    ...template,
    body: `<p>{{ firstName }} ${"long ".repeat(20_000)}</p>`,
  });
  await sendAs(world, project, { ...inline, to: former, body: large });
  expect((await api.patch(`/contacts/${contact.body.id}`, { email })).status).toBe(200);
  for (const mail of [
    { ...inline, to: { name: `Ada ${mark}`, email } },
    {
      ...inline,
      to: email,
      attachments: [file, file],
      headers: { "X-Mark": mark },
      reply: `reply+${mark}@example.com`,
    },
    { ...inline, to: email, body: large, attachments: [file] },
    { to: email, template: small, data: secret },
    { to: email, template: big },
    // What a call says to several is not one's alone.
    { ...inline, to: [email, friend], subject: "To both", body: "<p>Hi</p>", data: {}, attachments: [sharedFile] },
  ]) {
    await sendAs(world, project, mail);
  }
  await world.drain();
  const event = { email, event: "purchase", data: { item: mark } };
  expect((await call("POST", "/v1/track", event, bearer(project.keys.public))).status).toBe(200);
  expect((await api.post(`/contacts/${contact.body.id}/snooze`, { duration: "1m" })).status).toBe(200);
  expect((await api.post("/suppressions", { email, reason: "complaint" })).status).toBe(201);
  // The last one is the last one in every list.
  world.now += 1;
  await sendAs(world, project, { ...inline, to: email });
  return { id: contact.body.id, email, marks: [mark, fileContent] };
}

export const sharedFile = { filename: "terms.txt", content: btoa("the terms"), contentType: "text/plain" };

/** `POST /v1/send` in the world's own process: its queue holds the messages. */
export async function sendAs(world: World, project: TestProject, mail: Record<string, unknown>): Promise<string[]> {
  const { ctx } = await world.context(project);
  return (await sendEmails(ctx, SendEmail.parse(mail))).map(({ id }) => publicId(id));
}

/** Older emails like this one, that were sent, and as many events. */
export async function addOlder(
  project: TestProject,
  { emailId, contactId }: { emailId: string; contactId: string },
  count: number,
): Promise<void> {
  const columns = (await project.db.prepare("SELECT * FROM emails WHERE id = ?").bind(emailId).first()) ?? {};
  const others = Object.keys(columns).filter((name) => name !== "id");
  const values = others.map((name) => (name === "status" ? "'SENT'" : name));
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  await project.db.batch([
    project.db
      .prepare(
        `${numbers} INSERT INTO emails (id, ${others}) SELECT printf('00%06d', i) || substr(id, 9), ${values} FROM n, emails WHERE id = ?2`,
      )
      .bind(count, emailId),
    project.db
      .prepare(
        "UPDATE email_contents SET recipients = recipients + ?1 WHERE id = (SELECT content_id FROM emails WHERE id = ?2)",
      )
      .bind(count, emailId),
    project.db
      .prepare(
        `${numbers} INSERT INTO events (project_id, id, name, contact_id, data)
       SELECT e.project_id, printf('00%06d', i) || substr(e.id, 9), 'purchase', ?3, '{"for":"Ada"}' FROM n, emails e WHERE e.id = ?2`,
      )
      .bind(count, emailId, contactId),
  ]);
}

/** Where in all databases and files any of these texts is to be found. */
export async function tracesOf(marks: string[]): Promise<string[]> {
  const traces: string[] = [];
  const holds = (text: string) => marks.some((mark) => text.includes(mark));
  for (const db of databases) {
    for (const table of await allTables()) {
      const { results } = await db.prepare(`SELECT * FROM "${table}"`).all();
      for (const row of results) if (holds(JSON.stringify(row))) traces.push(table);
    }
  }
  for (const { key } of await allFiles()) {
    const text = new TextDecoder("latin1").decode(await (await env.BLOBS.get(key))?.arrayBuffer());
    if (holds(key) || holds(text) || holds(unfolded(text))) traces.push(key);
  }
  return traces;
}

/** Mail is written in lines of 76 characters. */
function unfolded(text: string): string {
  return text.replaceAll(/=?\r\n/g, "");
}

export async function allTables(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' ORDER BY name",
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

export async function allFiles(): Promise<R2Object[]> {
  return (await env.BLOBS.list()).objects;
}
