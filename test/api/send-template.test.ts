import { describe, expect, it } from "vitest";
import { effects, expectEffects, noEffects } from "../support/effects";
import { framed } from "../support/framed";
import { type Answer, admin, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { emailIds, emailIn, mailOf } from "../support/send-and-wait";
import { newTemplate } from "../support/template";

const nowhere = "0199a0f2-7a10-4d31-8c42-9e5f6a7b8c9d";

/** Only what is said here: the template says the rest. */
function sendWith(project: TestProject, template: unknown, fields: Record<string, unknown> = {}): Promise<Answer> {
  const rest = { subject: undefined, body: undefined, from: undefined };
  return project.api.send({ ...rest, template, ...fields });
}

async function opened(project: TestProject, sent: Answer): Promise<Answer["body"]> {
  const [id = ""] = emailIds(sent);
  return mailOf(project, id);
}

const transactional = { type: "TRANSACTIONAL" };

describe("POST /v1/send with a template", () => {
  it("uses its subject, body, sender and reply-to, and fills in the data", async () => {
    const project = await newProject();
    const template = await newTemplate(project, { ...transactional, fromName: "Acme", replyTo: "help@acme.example" });
    const sent = await sendWith(project, template.id, { data: { firstName: "Ada" } });
    const mail = await opened(project, sent);
    expect(mail).toMatchObject({
      subject: "Hello Ada",
      html: framed("<p>Hello Ada</p>"),
      text: "Hello Ada",
      from: `Acme <hello@${project.domain}>`,
      replyTo: "help@acme.example",
    });
    const [id = ""] = emailIds(sent);
    expect(await emailIn(project, id, "DELIVERED")).toMatchObject({
      type: "TRANSACTIONAL",
      source: "TRANSACTIONAL",
      templateId: template.id,
      fromName: "Acme",
    });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["subject", { subject: "Mine {{ firstName }}" }, { subject: "Mine Ada" }],
    ["body", { body: "<p>Mine {{ firstName }}</p>" }, { html: framed("<p>Mine Ada</p>"), subject: "Hello Ada" }],
    ["reply", { reply: "mine@acme.example" }, { replyTo: "mine@acme.example" }],
  ])("lets an explicit %s win", async (_, fields, expected) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { ...transactional, replyTo: "help@acme.example" });
    expect(await opened(project, await sendWith(project, id, { ...fields, data: { firstName: "Ada" } }))).toMatchObject(
      expected,
    );
  });

  it.each<[string, Record<string, unknown>, { from?: unknown; name?: string }, string]>([
    ["from.name", { fromName: "Template" }, { from: { name: "From", email: "x" }, name: "Name" }, "From"],
    ["name", { fromName: "Template" }, { from: { email: "x" }, name: "Name" }, "Name"],
    ["name, with the template's from", { fromName: "Template" }, { name: "Name" }, "Name"],
    ["the template's, with another from", { fromName: "Template" }, { from: { email: "x" } }, "Template"],
    ["the template's", { fromName: "Template" }, {}, "Template"],
    ["the project's", {}, {}, "Project"],
  ])("names the sender by %s", async (_, fields, call, expected) => {
    const project = await newProject({ fromName: "Project" });
    const { id } = await newTemplate(project, { ...transactional, ...fields });
    const from = call.from ? { ...call.from, email: `other@${project.domain}` } : undefined;
    const mail = await opened(project, await sendWith(project, id, { ...call, from }));
    expect(mail.from).toBe(`${expected} <${from ? "other" : "hello"}@${project.domain}>`);
  });

  it("asks only for the domain it sends from", async () => {
    const project = await newProject();
    const other = `other-${project.domain}`;
    const { body: domain } = await project.api.post("/domains", { domain: other });
    const { id } = await newTemplate(project, { ...transactional, from: `hello@${other}` });
    expect(domain.verified).toBe(true);
    expect((await sendWith(project, id)).status).toBe(200);
    const answer = await sendWith(project, id, { from: "hello@nobody.test" });
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: "nobody.test" },
    });
  });

  it("sends large bodies, the template's and one in its place", async () => {
    const project = await newProject();
    const large = `<p>{{ firstName }}</p>${"<p>long</p>".repeat(10_000)}`;
    const { id } = await newTemplate(project, { ...transactional, body: large });
    const data = { firstName: "Ada" };
    const mail = await opened(project, await sendWith(project, id, { data }));
    expect(mail.html === framed(large.replace("{{ firstName }}", "Ada"))).toBe(true);
    const inline = await opened(project, await sendWith(project, id, { data, body: `${large}!` }));
    expect(inline.html === framed(`${large.replace("{{ firstName }}", "Ada")}!`)).toBe(true);
    const small = await opened(project, await sendWith(project, id, { data, body: "small" }));
    expect(small.html).toBe(framed("small"));
    // Each mail's own file, and none for what the template keeps.
    expect((await effects(project))["large bodies"]).toBe(1);
  });

  it("takes null for no template", async () => {
    const project = await newProject();
    expect((await project.api.send({ template: null })).status).toBe(200);
  });
});

describe("a send with a template is refused, without any effect", () => {
  it("when there is no such template, or it is another project's", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const foreign = await newTemplate(other);
    for (const id of [nowhere, foreign.id]) {
      const body = "x".repeat(100_000);
      const answer = await sendWith(project, id, { subscribed: true, data: { plan: "pro" }, body });
      expectRefusal(answer, 404, "TEMPLATE_NOT_FOUND", { details: { resource: "template", id } });
    }
    // The same with everything given: it still names a template that is not there.
    const complete = await project.api.send({ template: nowhere });
    expectRefusal(complete, 404, "TEMPLATE_NOT_FOUND", { details: { resource: "template", id: nowhere } });
    await expectEffects(project, noEffects);
  });

  it("when it was deleted", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    await project.api.delete(`/templates/${id}`);
    expect((await sendWith(project, id)).status).toBe(404);
    await expectEffects(project, noEffects);
  });

  it("when the month is full", async () => {
    const project = await newProject({ monthlySendLimit: 2 });
    const { id } = await newTemplate(project, transactional);
    const answer = await sendWith(project, id, { to: ["a@b.com", "b@b.com", "c@b.com"], data: { plan: "pro" } });
    expectRefusal(answer, 402, "BILLING_LIMIT_EXCEEDED", { details: { monthlySendLimit: 2 } });
    await expectEffects(project, noEffects);
    expect((await sendWith(project, id, { to: ["a@b.com", "b@b.com"] })).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["a template that is no uuid", { template: "welcome" }, "template", "invalid_string"],
    ["a template that is a number", { template: 42 }, "template", "invalid_type"],
    ["an empty subject in its place", { subject: "" }, "subject", "too_small"],
    ["a body in its place that does not parse", { body: "{{" }, "body", "custom"],
    ["null for a body", { body: null }, "body", "invalid_type"],
    ["no recipient", { to: undefined }, "to", "required"],
  ])("for %s", async (_, fields, field, code) => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    expectInvalid(await sendWith(project, id, fields), field, code);
    await expectEffects(project, noEffects);
  });

  it("for want of subject, body and sender when there is none: all are named, with every other fault", async () => {
    const project = await newProject();
    for (const template of [undefined, null]) {
      const answer = await sendWith(project, template, { to: "nope", subscribed: "no" });
      const named = answer.body.error.errors.map(({ field, code }: Record<string, string>) => `${field} ${code}`);
      expect(named.sort()).toEqual([
        "body required",
        "from required",
        "subject required",
        "subscribed invalid_type",
        "to invalid_string",
      ]);
    }
  });
});

describe("a marketing template to people who left", () => {
  const statuses = (sent: Answer) => sent.body.data.emails.map(({ status }: { status: string }) => status);
  async function contact(project: TestProject, email: string, subscribed: boolean): Promise<void> {
    await project.api.post("/contacts", { email, subscribed });
  }

  it("is SUPPRESSED for who opted out, goes to who merely never subscribed, and says so in the answer", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    await contact(project, "left@example.com", false);
    await contact(project, "here@example.com", true);
    const sent = await sendWith(project, id, { to: ["left@example.com", "here@example.com", "new@example.com"] });
    expect(statuses(sent)).toEqual(["SUPPRESSED", "QUEUED", "QUEUED"]);
    const [left = "", here = "", fresh = ""] = emailIds(sent);
    expect(await emailIn(project, left, "SUPPRESSED")).toMatchObject({
      error: "The contact has unsubscribed from marketing email",
      attempts: 0,
      sentAt: null,
      type: "MARKETING",
    });
    await emailIn(project, here, "DELIVERED");
    await emailIn(project, fresh, "DELIVERED");
    expect((await effects(project))["emails of the month"]).toBe(2);
  });

  it.each(["TRANSACTIONAL", "HEADLESS"])("does not hold back %s", async (type) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { type });
    await contact(project, "ada@example.com", false);
    const sent = await sendWith(project, id);
    expect(statuses(sent)).toEqual(["QUEUED"]);
    expect(sent.body).not.toHaveProperty("warnings");
  });

  it("names who gets it without being subscribed, and nobody else", async () => {
    const project = await newProject({ company: "Acme", postalAddress: "1 Main St" });
    const { id } = await newTemplate(project);
    await contact(project, "left@example.com", false);
    await contact(project, "here@example.com", true);
    const some = await sendWith(project, id, { to: ["left@example.com", "here@example.com", "a@example.com"] });
    expect(some.body.warnings).toEqual([
      {
        field: "to",
        message: expect.stringMatching(/^Not subscribed: a@example\.com\. This MARKETING mail is sent nevertheless/),
      },
    ]);
    const many = await sendWith(project, id, { to: ["b@example.com", "a@example.com", "c@example.com"] });
    expect(many.body.warnings[0].message).toContain("Not subscribed: a@example.com and 2 more.");
    const later = await sendWith(project, id, { to: "a@example.com", scheduledAt: new Date(Date.now() + 60_000) });
    expect(later.body.warnings).toHaveLength(1);
    for (const to of ["here@example.com", "left@example.com"]) {
      expect((await sendWith(project, id, { to })).body).not.toHaveProperty("warnings");
    }
    expect((await sendWith(project, id, { to: "new@example.com", subscribed: true })).body).not.toHaveProperty(
      "warnings",
    );
    expect((await project.api.send({ to: "a@example.com" })).body).not.toHaveProperty("warnings");
  });

  it.each<[string, boolean | null, boolean | undefined, string]>([
    ["this call takes back", false, true, "QUEUED"],
    ["this call keeps away", false, false, "SUPPRESSED"],
    ["this call unsubscribes", true, false, "SUPPRESSED"],
    ["this call makes, and unsubscribes", null, false, "SUPPRESSED"],
    ["this call makes, and subscribes", null, true, "QUEUED"],
  ])("asks after this call's own subscribed: a contact that %s", async (_, before, subscribed, expected) => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    if (before !== null) await contact(project, "ada@example.com", before);
    expect(statuses(await sendWith(project, id, { subscribed }))).toEqual([expected]);
  });

  it("goes to one who was never subscribed and whom the call leaves so", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    await project.api.send();
    expect(statuses(await sendWith(project, id, { subscribed: false }))).toEqual(["QUEUED"]);
  });

  it("does not count against the month, nor is it refused when that is full", async () => {
    const project = await newProject({ monthlySendLimit: 1 });
    const { id } = await newTemplate(project);
    await contact(project, "left@example.com", false);
    const sent = await sendWith(project, id, { to: ["left@example.com", "ada@example.com", "left@example.com"] });
    expect(statuses(sent)).toEqual(["SUPPRESSED", "QUEUED", "SUPPRESSED"]);
    expect((await sendWith(project, id, { to: "left@example.com" })).status).toBe(200);
    expect((await sendWith(project, id, { to: "bob@example.com" })).status).toBe(402);
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 0 });
    expect((await sendWith(project, id, { to: "left@example.com" })).status).toBe(200);
    expect((await effects(project))["emails of the month"]).toBe(1);
  });

  it("is inline content that goes out whether subscribed or not", async () => {
    const project = await newProject();
    await contact(project, "ada@example.com", false);
    expect(statuses(await project.api.send())).toEqual(["QUEUED"]);
  });
});
