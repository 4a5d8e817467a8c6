import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { framed } from "../support/framed";
import { newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { emailIn } from "../support/send-and-wait";

describe("GET /emails", () => {
  it("lists newest first, page by page, each once", async () => {
    const project = await newProject();
    const sent: string[] = [];
    for (let index = 0; index < 5; index++) {
      sent.unshift((await project.api.send({ to: `r${index}@example.com` })).body.data.emails[0].email);
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await project.api.get(`/emails?limit=2&cursor=${cursor}`);
      expect(body.total).toBe(cursor === "" ? 5 : 0);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.cursor;
    } while (cursor !== "");
    expect(seen).toEqual(sent);
  });

  it("filters by status, contact and source", async () => {
    const project = await newProject();
    const ada = (await project.api.send({ to: "ada@example.com" })).body.data.emails[0];
    const rejected = (await project.api.send({ to: "reject@simulator.test" })).body.data.emails[0];
    await emailIn(project, ada.email, "DELIVERED");
    await emailIn(project, rejected.email, "FAILED");
    const ids = async (query: string) =>
      (await project.api.get(`/emails?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids("status=FAILED")).toEqual([rejected.email]);
    expect(await ids(`contactId=${ada.contact.id}`)).toEqual([ada.email]);
    expect(await ids("source=TRANSACTIONAL")).toEqual([rejected.email, ada.email]);
    expect(await ids("source=CAMPAIGN")).toEqual([]);
    expect(await ids("templateId=none")).toEqual([]);
    expect((await project.api.get("/emails?status=FAILED")).body.total).toBe(1);
  });

  it("shows nothing of another project", async () => {
    const [one, other] = [await newProject(), await newProject()];
    const sent = (await one.api.send()).body.data.emails[0];
    expect((await other.api.get("/emails")).body).toMatchObject({ data: [], total: 0 });
    expect((await other.api.get(`/emails?contactId=${sent.contact.id}`)).body.data).toEqual([]);
  });

  it("refuses what it does not know", async () => {
    const project = await newProject();
    expectInvalid(await project.api.get("/emails?status=GONE"), "status", "invalid_enum_value");
    expectInvalid(await project.api.get("/emails?limit=0"), "limit", "too_small");
    expectRefusal(await project.api.get("/emails?cursor=%25"), 400, "BAD_REQUEST");
  });
});

describe("POST /emails/{id}/retry", () => {
  it("opens a failed email again: the same row, tried once more", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    const sent = (await project.api.send({ to: "reject@simulator.test" })).body.data.emails[0];
    await emailIn(project, sent.email, "FAILED");
    await project.db.prepare("UPDATE emails SET to_email = 'ada@example.com' WHERE id = ?").bind(sent.email).run();
    const retried = await project.api.post(`/emails/${sent.email}/retry`, {});
    expect([retried.status, retried.body]).toEqual([202, { id: sent.email, status: "QUEUED" }]);
    const email = await emailIn(project, sent.email, "DELIVERED");
    expect(email).toMatchObject({ attempts: 1, error: null });
    // It takes its place in the month again.
    expect((await project.api.send()).status).toBe(402);
  });

  it("lets a person decide over an unknown one", async () => {
    const project = await newProject();
    const sent = (await project.api.send({ to: "timeout@simulator.test" })).body.data.emails[0];
    await emailIn(project, sent.email, "UNKNOWN");
    expect((await project.api.post(`/emails/${sent.email}/retry`, {})).status).toBe(202);
  });

  it("refuses one that is on its way or arrived, and one of another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const sent = (await project.api.send()).body.data.emails[0];
    await emailIn(project, sent.email, "DELIVERED");
    expectRefusal(await project.api.post(`/emails/${sent.email}/retry`, {}), 409, "CONFLICT");
    expect((await other.api.post(`/emails/${sent.email}/retry`, {})).status).toBe(404);
  });
});

describe("GET /emails/{id}/content", () => {
  it("reads what the recipient got, though the contact changed since", async () => {
    const project = await newProject();
    const fields = {
      subject: "Hi {{ name }}",
      body: "<p>{{ name }} {{ code }}</p>",
      data: { name: "Ada", code: { value: 7, persistent: false } },
      headers: { "X-Order-Id": "1042" },
      attachments: [{ filename: "a.txt", content: btoa("hello"), contentType: "text/plain" }],
    };
    const sent = (await project.api.send(fields)).body.data.emails[0];
    await emailIn(project, sent.email, "DELIVERED");
    await project.api.post("/contacts", { email: "ada@example.com", data: { name: "Grace" } });
    const { status, body } = await project.api.get(`/emails/${sent.email}/content`);
    expect(status).toBe(200);
    expect(body).toEqual({
      subject: "Hi Ada",
      html: framed("<p>Ada 7</p>"),
      text: "Ada 7",
      headers: { "X-Order-Id": "1042", "Auto-Submitted": "auto-generated" },
      attachments: [{ filename: "a.txt", contentType: "text/plain", size: 5 }],
    });
  });

  it("is 410 when it is no longer kept, and 404 in another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const sent = (await project.api.send({ body: "long ".repeat(20_000) })).body.data.emails[0];
    await emailIn(project, sent.email, "DELIVERED");
    expect((await other.api.get(`/emails/${sent.email}/content`)).status).toBe(404);
    const { objects } = await env.BLOBS.list({ prefix: `content/${project.id}/` });
    await env.BLOBS.delete(objects.map(({ key }) => key));
    expectRefusal(await project.api.get(`/emails/${sent.email}/content`), 410, "CONTENT_GONE");
  });
});
