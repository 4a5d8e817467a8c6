import { describe, expect, it, vi } from "vitest";
import { newCampaign, putCampaign } from "../support/campaign";
import { openTools, type Tools } from "../support/mcp";
import { admin, newProject, type TestProject } from "../support/project";
import { uuid } from "../support/refusal";
import { newContact } from "../support/segment";
import { emailIn, mailOf } from "../support/send-and-wait";
import { newTemplate } from "../support/template";

async function set() {
  const project = await newProject();
  const { call: use } = await openTools(project.keys.secret);
  const mail = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi {{ name }}", body: "<p>Hi</p>" };
  const count = async () => (await project.api.get("/emails")).body.total;
  return { project, use, mail, count };
}

async function readKeyOf({ id }: TestProject): Promise<string> {
  return (await admin.post(`/admin/projects/${id}/keys`, { kind: "read" })).body.key;
}

describe("send_email", () => {
  it("sends, and says how to follow the email", async () => {
    const { project, use, mail } = await set();
    const { data, next } = await use("send_email", { ...mail, data: { name: "Ada" } });
    const [{ emailId, to, status }] = data.emails;
    expect([emailId, to.email, status]).toEqual([expect.stringMatching(uuid), "ada@example.com", "QUEUED"]);
    expect(next).toContain("why_not_delivered");
    expect((await mailOf(project, emailId)).subject).toBe("Hi Ada");
  });

  it("sends a template that is given by its name, to several people", async () => {
    const { project, use } = await set();
    await newTemplate(project, { name: "Receipt", type: "TRANSACTIONAL" });
    const { data } = await use("send_email", { to: ["ada@example.com", "bob@example.com"], template: "receipt" });
    expect(data.emails).toHaveLength(2);
    for (const { emailId } of data.emails) await emailIn(project, emailId, "DELIVERED");
  });

  it("sends once for each call, and once for a key", async () => {
    const { use, mail, count } = await set();
    await use("send_email", mail);
    await use("send_email", mail);
    expect(await count()).toBe(2);
    const first = await use("send_email", { ...mail, idempotencyKey: "order-1" });
    const again = await use("send_email", { ...mail, idempotencyKey: "order-1" });
    expect([again.data, again.next]).toEqual([first.data, expect.stringContaining("is not sent again")]);
    const other = await use("send_email", { ...mail, subject: "Other", idempotencyKey: "order-1" });
    expect(other.error).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED", details: { sameRequest: false } });
    expect(await count()).toBe(3);
  });

  it("is refused as the API refuses it, and sends nothing", async () => {
    const { project, use, mail, count } = await set();
    expect((await use("send_email", { ...mail, to: "nope" })).error.code).toBe("VALIDATION_ERROR");
    const foreign = await use("send_email", { ...mail, from: "hi@elsewhere.example" });
    expect(foreign.error.details.reason).toBe("domain_not_verified");
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await use("send_email", mail)).error.code).toBe("PROJECT_DISABLED");
    expect(await count()).toBe(0);
  });

  it("does not find the template of another project", async () => {
    const { use, mail, count } = await set();
    const { id } = await newTemplate(await newProject());
    const { error } = await use("send_email", { to: mail.to, template: id });
    expect([error.code, await count()]).toEqual(["TEMPLATE_NOT_FOUND", 0]);
  });

  it("is not there for a read key", async () => {
    const { project, mail, count } = await set();
    const { call: use } = await openTools(await readKeyOf(project));
    const { error } = await use("send_email", mail);
    expect(error).toMatchObject({ code: "BAD_REQUEST", suggestion: expect.stringContaining("kind read") });
    expect(await count()).toBe(0);
  });
});

describe("send_campaign", () => {
  async function setCampaign() {
    const { project, use } = await set();
    await newContact(project, "ada@example.com");
    const { id } = await newCampaign(project);
    const status = async () => (await project.api.get(`/campaigns/${id}`)).body.status;
    return { project, use, id, status };
  }

  /** Checks the campaign with tools alone, as a model does: it calls again until the check has ended. */
  async function checked(use: Tools["call"]): Promise<string> {
    const { data: begun } = await use("preflight_campaign", { campaign: "March" });
    return vi.waitFor(async () => {
      const { data, next } = await use("preflight_campaign", { campaign: "March", jobId: begun.jobId });
      expect([data.status, data.result?.willSend]).toEqual(["completed", 1]);
      expect(next).toContain("send_campaign");
      return data.result.preflightToken;
    });
  }

  it("sends a campaign that was checked, by its name", async () => {
    const { project, use, id } = await setCampaign();
    const preflightToken = await checked(use);
    const { data, next } = await use("send_campaign", { campaign: "march", preflightToken });
    expect(data.campaign).toEqual({ id, name: "March", subject: "News for {{ firstName }}", status: "SENDING" });
    expect(data.warnings).toMatchObject([{ field: "postalAddress" }]);
    expect(next).toContain("statistics");
    await vi.waitFor(async () => expect((await project.api.get("/emails")).body.total).toBe(1));
    const again = await use("send_campaign", { campaign: "march", preflightToken });
    expect(again.error).toMatchObject({ code: "BAD_REQUEST" });
  });

  it("schedules it", async () => {
    const { use, id, status } = await setCampaign();
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    const preflightToken = await checked(use);
    const { data, next } = await use("send_campaign", { campaign: id, preflightToken, scheduledFor });
    expect([data.campaign.scheduledFor, await status()]).toEqual([scheduledFor, "SCHEDULED"]);
    expect(next).toContain("scheduled");
  });

  it("is refused without a token, or with one that is not of this version of this campaign", async () => {
    const { project, use, id, status } = await setCampaign();
    const preflightToken = await checked(use);
    const { error: without } = await use("send_campaign", { campaign: id });
    expect(without).toMatchObject({ code: "VALIDATION_ERROR", errors: [{ field: "preflightToken" }] });
    const { error: madeUp } = await use("send_campaign", { campaign: id, preflightToken: "yes" });
    expect(madeUp.details.reason).toBe("foreign");
    await putCampaign(project, id, { subject: "Other news" });
    const { error: old } = await use("send_campaign", { campaign: id, preflightToken });
    expect(old).toMatchObject({ code: "CONFLICT", details: { reason: "changed" }, suggestion: expect.any(String) });
    expect(await status()).toBe("DRAFT");
  });

  it("is not there for a read key, which may check", async () => {
    const { project, id, status } = await setCampaign();
    const { call: use } = await openTools(await readKeyOf(project));
    const preflightToken = await checked(use);
    const { error } = await use("send_campaign", { campaign: id, preflightToken });
    expect(error.suggestion).toContain("kind read");
    expect(await status()).toBe("DRAFT");
  });
});
