import { describe, expect, it } from "vitest";
import { openTools } from "../support/mcp";
import { admin, newProject } from "../support/project";
import { uuid } from "../support/refusal";
import { emailIn, mailOf } from "../support/send-and-wait";
import { newTemplate } from "../support/template";

async function set() {
  const project = await newProject();
  const { call: use } = await openTools(project.keys.secret);
  const mail = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi {{ name }}", body: "<p>Hi</p>" };
  const count = async () => (await project.api.get("/emails")).body.total;
  return { project, use, mail, count };
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
    expect([again.data, again.next]).toEqual([first.data, expect.stringContaining("not again now")]);
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
    const { key } = (await admin.post(`/admin/projects/${project.id}/keys`, { kind: "read" })).body;
    const { call: use } = await openTools(key);
    const { error } = await use("send_email", mail);
    expect(error).toMatchObject({ code: "BAD_REQUEST", suggestion: expect.stringContaining("kind read") });
    expect(await count()).toBe(0);
  });
});
