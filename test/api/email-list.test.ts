import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { type Id, newId, publicId } from "../../src/core/ids";
import { listEmails } from "../../src/features/emails/list";
import { framed } from "../support/framed";
import { newCampaign as newLedger } from "../support/ledger";
import { expectBounded, planOf } from "../support/plan";
import { newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { newContact } from "../support/segment";
import { emailIn } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { newWorkflow } from "../support/workflow";
import { World } from "../support/world";

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
    // As the figures of a campaign count: a mail that was delivered was sent.
    const counted = await Promise.all(
      ["sent", "delivered", "failed", "opened"].map((name) => ids(`countedAs=${name}`)),
    );
    expect(counted).toEqual([[ada.email], [ada.email], [rejected.email], []]);
    expectInvalid(await project.api.get("/emails?countedAs=SENT"), "countedAs", "invalid_enum_value");
    expect((await project.api.get("/emails?status=FAILED")).body.total).toBe(1);
  });

  it("filters by the beginning of the subject as the recipient gets it, in capital or small letters", async () => {
    const project = await newProject();
    const to = "ada@example.com";
    const [invoice, mine] = [
      { subject: "Invoice 7", to },
      { subject: "{{ word }}_100%", to, data: { word: "Mine" } },
    ];
    const sent = [(await project.api.send(invoice)).body.data.emails[0].email];
    sent.push((await project.api.send(mine)).body.data.emails[0].email);
    await emailIn(project, sent[1], "DELIVERED");
    const found = async (subject: string) =>
      (await project.api.get(`/emails?subject=${encodeURIComponent(subject)}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await found("invoice")).toEqual([sent[0]]);
    expect(await found("MINE_100%")).toEqual([sent[1]]);
    expect(await found("nvoice")).toEqual([]);
    expect(await found("%")).toEqual([]);
    expect(await found("Mine_1000")).toEqual([]);
    expectInvalid(await project.api.get("/emails?subject="), "subject", "too_small");
  });

  it("filters by the workflow whose step has sent it", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id: contactId } = await newContact(project, "ada@example.com");
    const { id: templateId } = await newTemplate(project);
    const mailing = {
      steps: { mail: ["SEND_EMAIL", {}, { templateId }] as never },
      ways: [["TRIGGER", "mail"]] as never,
    };
    const [one, other] = [await newWorkflow(project, mailing), await newWorkflow(project, mailing)];
    await project.api.send();
    const started = await project.api.post(`/workflows/${publicId(one.id)}/executions`, { contactId });
    const executionId = started.body.id;
    await vi.waitFor(async () => {
      expect((await project.api.get(`/emails?executionId=${executionId}`)).body.total).toBe(1);
    });
    await world.drain();
    const { body } = await project.api.get(`/emails?workflowId=${publicId(one.id)}`);
    expect(body).toMatchObject({ total: 1, data: [{ workflowExecutionId: executionId, source: "WORKFLOW" }] });
    expect((await project.api.get(`/emails?workflowId=${publicId(other.id)}`)).body).toMatchObject({
      data: [],
      total: 0,
    });
    const stranger = await newProject();
    expect((await stranger.api.get(`/emails?workflowId=${publicId(one.id)}`)).body).toMatchObject({
      data: [],
      total: 0,
    });
  });

  it("filters by dates, as from and to or as startDate and endDate", async () => {
    const project = await newProject();
    await project.api.send({ to: "ada@example.com" });
    const today = new Date().toISOString().slice(0, 10);
    const total = async (query: string) => (await project.api.get(`/emails?${query}`)).body.total;
    for (const [from, to] of [
      ["from", "to"],
      ["startDate", "endDate"],
    ]) {
      expect(await total(`${from}=${today}&${to}=2999-01-01`)).toBe(1);
      expect(await total(`${from}=2999-01-01`)).toBe(0);
      expect(await total(`${to}=2000-01-01`)).toBe(0);
    }
    expect(await total("to=ada@example.com&endDate=2999-01-01")).toBe(1);
    expect(await total("to=bob@example.com")).toBe(0);
    expectInvalid(await project.api.get("/emails?from=2999-01-01&to=2000-01-01"), "endDate", "custom");
    expectInvalid(await project.api.get("/emails?to=yesterday"), "to", "invalid_string");
  });

  it("reads no more than a window, whatever it filters by", async () => {
    const [project, world] = [await newProject(), new World()];
    const { ctx } = await world.context(project);
    const { id: workflowId } = await newWorkflow(project);
    await listEmails(ctx, { workflowId, subject: "A", templateId: workflowId }, { limit: 20 });
    await expectBounded(world.statements, [
      // The newest 10,000, at the end of the key.
      {
        sql: /FROM emails WHERE project_id = \? ORDER BY id DESC LIMIT/,
        step: /SEARCH emails USING PRIMARY KEY \(project_id=\?\)/,
      },
    ]);
  });

  it("has a total that is exact below 25,000 mails, and that of the newest 10,000 beyond", async () => {
    const project = await newProject();
    await newLedger(project, { recipients: 12_000, status: "SENT" });
    const path = "/emails?status=SENT&limit=1";
    const { body: exact } = await project.api.get(path);
    expect([exact.total, exact.approximate, exact.hasMore]).toEqual([12_000, undefined, true]);
    expect((await project.api.get(`${path}&cursor=${exact.cursor}`)).body).toMatchObject({ total: 0, hasMore: true });
    await newLedger(project, { recipients: 13_000, status: "SENT" });
    expect((await project.api.get(path)).body).toMatchObject({ total: 10_000, approximate: true });
  });

  it("looks among mail of a campaign, or among what failed, without the newer mail of others", async () => {
    const [project, world] = [await newProject(), new World()];
    const { ctx } = await world.context(project);
    const plansOf = async (filters: { campaignId?: Id; status?: "FAILED" | "UNKNOWN" }) => {
      await listEmails(ctx, filters, { limit: 20 });
      const statement = world.statements.findLast(({ sql }) => sql.includes("AS seen"));
      return statement === undefined ? [] : planOf(statement);
    };
    const window = /SEARCH emails/;
    const windowOf = async (filters: Parameters<typeof plansOf>[0]) =>
      (await plansOf(filters)).filter((step) => window.test(step));
    expect(await windowOf({ campaignId: newId() })).toEqual([
      "SEARCH emails USING PRIMARY KEY (project_id=? AND id>? AND id<?)",
    ]);
    for (const status of ["FAILED", "UNKNOWN"] as const) {
      expect(await windowOf({ status })).toEqual(["SEARCH emails USING INDEX ix_emails_unsent (project_id=?)"]);
    }
  });

  it("finds all mail of a campaign, page by page, and none of it as that of another", async () => {
    const project = await newProject();
    await project.api.send({ to: "before@example.com" });
    const ledger = await newLedger(project, { recipients: 5, status: "SENT" });
    const after = await newLedger(project, { recipients: 2, status: "SENT" });
    await project.api.send({ to: "after@example.com" });
    const path = `/emails?campaignId=${publicId(ledger.id)}&limit=3`;
    const { body: first } = await project.api.get(path);
    const { body: second } = await project.api.get(`${path}&cursor=${first.cursor}`);
    expect([first.total, first.data.length, second.data.length, second.hasMore]).toEqual([5, 3, 2, false]);
    expect((await project.api.get(`/emails?campaignId=${publicId(after.id)}`)).body.total).toBe(2);
    expect((await project.api.get(`/emails?campaignId=${publicId(newId())}`)).body.total).toBe(0);
    await project.db.prepare("DELETE FROM campaign_pages WHERE project_id = ?").bind(project.number).run();
    expect((await project.api.get(path)).body.total).toBe(5);
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
