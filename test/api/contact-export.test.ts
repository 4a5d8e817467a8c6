import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { exportContact } from "../../src/features/contacts/export";
import { idSql } from "../support/counts";
import { framed } from "../support/framed";
import { personWithEverything } from "../support/person";
import { admin, newProject, type TestProject } from "../support/project";
import { expectRefusal, isoTime } from "../support/refusal";
import { World } from "../support/world";

/** Events of a contact, each with as much data, straight in their table. */
async function addEvents(project: TestProject, contactId: string, count: number, dataBytes: number): Promise<void> {
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  await project.db
    .prepare(
      `${numbers} INSERT INTO events (id, project_id, name, contact_id, data)
     SELECT ${idSql("i")}, ?2, 'purchase', ?3, json_object('n', i, 'text', substr(hex(zeroblob(?4)), 1, ?4)) FROM n`,
    )
    .bind(count, project.id, contactId, dataBytes)
    .run();
}

describe("GET /contacts/{id}/export", () => {
  it("gives everything that is held about one person, as a file", async () => {
    const project = await newProject();
    const world = new World();
    const { id, email, marks } = await personWithEverything(world, project, "friend@example.com");
    const { status, headers, body } = await project.api.get(`/contacts/${id}/export`);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("application/json");
    expect(headers.get("Content-Disposition")).toBe(`attachment; filename="contact-${id}.json"`);
    expect(Object.keys(body)).toEqual([
      "contact",
      "suppression",
      "confirmations",
      "segments",
      "topics",
      "emails",
      "events",
      "executions",
      "exportedAt",
    ]);
    expect(body.exportedAt).toMatch(isoTime);
    const { body: contact } = await project.api.get(`/contacts/${id}`);
    expect(body.contact).toEqual({ ...contact, optedOutAt: expect.stringMatching(isoTime) });
    expect(body.suppression).toEqual({ email, reason: "complaint", createdAt: expect.stringMatching(isoTime) });

    // As each of them is to be had alone, the oldest first.
    const { body: list } = await project.api.get(`/emails?contactId=${id}&limit=100`);
    expect(body.emails).toHaveLength(8);
    for (const [index, { toName, content, ...record }] of body.emails.entries()) {
      expect(record).toEqual(list.data.at(-1 - index));
      expect(toName).toBe(index === 1 ? `Ada ${marks[0]}` : null);
      const alone = await project.api.get(`/emails/${record.id}/content`);
      expect(content).toEqual(alone.body);
    }
    expect(body.emails[1].content.html).toContain(marks[0]);
    expect(body.emails[3].content.attachments).toHaveLength(1);
    const { body: events } = await project.api.get(`/events?contactId=${id}&limit=100`);
    expect(body.events).toEqual(events.data.toReversed());
    expect(body.events.length).toBeGreaterThan(14);
  });

  it("of somebody of whom little is known is as whole", async () => {
    const project = await newProject();
    const { body: contact } = await project.api.post("/contacts", { email: "ada@example.com" });
    const { _meta, ...shown } = contact;
    const { body } = await project.api.get(`/contacts/${contact.id}/export`);
    expect(body).toEqual({
      contact: { ...shown, optedOutAt: null },
      suppression: null,
      confirmations: [],
      segments: [],
      topics: [],
      emails: [],
      events: [],
      executions: [],
      exportedAt: expect.stringMatching(isoTime),
    });
  });

  it("says null for content that is no longer kept, or could never be rendered", async () => {
    const project = await newProject();
    const endless = { body: "{% for a in (1..9999) %}{% for b in (1..9999) %}x{% endfor %}{% endfor %}" };
    for (const call of [{ body: "<p>Kept</p>" }, { body: `<p>${"long ".repeat(20_000)}</p>` }, endless]) {
      expect((await project.api.send(call)).status).toBe(200);
    }
    const { objects } = await env.BLOBS.list({ prefix: `content/${project.id}/` });
    await env.BLOBS.delete(objects.map(({ key }) => key));
    const { data } = (await project.api.get("/contacts")).body;
    const { body } = await project.api.get(`/contacts/${data[0].id}/export`);
    const htmls = body.emails.map(({ content }: { content: { html: string } | null }) => content?.html ?? null);
    expect(htmls).toEqual([framed("<p>Kept</p>"), null, null]);
  });

  it("knows no contact of another project, and works in a disabled one", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const { id } = (await other.api.post("/contacts", { email: "ada@example.com" })).body;
    for (const path of [id, "nope"]) {
      expectRefusal(await mine.api.get(`/contacts/${path}/export`), 404, "CONTACT_NOT_FOUND", {
        details: { resource: "contact", id: path },
      });
    }
    await admin.patch(`/admin/projects/${other.id}`, { disabled: true });
    expect((await other.api.get(`/contacts/${id}/export`)).status).toBe(200);
    await admin.patch(`/admin/projects/${other.id}`, { disabled: false });
    await other.api.delete(`/contacts/${id}`);
    expectRefusal(await other.api.get(`/contacts/${id}/export`), 404, "CONTACT_NOT_FOUND", {
      details: { resource: "contact", id },
    });
  });

  it("reads as many events as there are, and never many bytes of them at once", async () => {
    const project = await newProject();
    const { id } = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    await addEvents(project, id, 2_500, 10);
    await addEvents(project, id, 40, 60_000);
    const world = new World();
    const { ctx, process } = await world.context(project);
    const { events } = await exportContact(ctx, readId(id));
    const ids: string[] = [];
    const pages = new Map<number, number>();
    for await (const event of events) {
      ids.push(event.id);
      const page = process.steps.length;
      pages.set(page, (pages.get(page) ?? 0) + JSON.stringify(event.data).length);
    }
    expect(ids).toHaveLength(2_540);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(Math.max(...pages.values())).toBeLessThan(1_100_000);
    expect(pages.size).toBeLessThan(10);
  });

  it("that breaks off in the middle looks like no whole file", async () => {
    const project = await newProject();
    const { id } = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    await addEvents(project, id, 1_500, 100);
    await project.db
      .prepare(
        "UPDATE events SET data = '{' WHERE project_id = ?1 AND id = (SELECT max(id) FROM events WHERE project_id = ?1 AND contact_id = ?2)",
      )
      .bind(project.id, id)
      .run();
    const response = await exports.default.fetch(`https://petrel.example/contacts/${id}/export`, {
      headers: { Authorization: `Bearer ${project.keys.secret}` },
    });
    expect(response.status).toBe(200);
    let text = "";
    const read = async () => {
      for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
    };
    await expect(read()).rejects.toThrow();
    expect(text).toContain("purchase");
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });
});
