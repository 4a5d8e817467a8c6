import { describe, expect, it } from "vitest";
import { newCampaign, soundCampaign } from "../support/campaign";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { newTemplate, soundTemplate } from "../support/template";

const contactFields = ["firstName", "lastName", "name", "phone", "tags", "attributes", "properties"];

const namesOfData = [
  ...["variables", "dataVariables", "templateModel", "TemplateModel", "template_data", "dynamic_template_data"],
  ...["substitutions", "message_data", "mergeVars", "merge_fields", "params", "props"],
];

async function expectNoEffect(project: TestProject): Promise<void> {
  expect((await project.api.get("/contacts")).body.data).toEqual([]);
  expect((await project.api.get("/emails")).body.data).toEqual([]);
  expect((await project.api.get("/events/names")).body.names).toEqual([]);
}

const secret = ({ keys }: TestProject) => bearer(keys.secret);
const track = (project: TestProject, fields: Record<string, unknown>) =>
  call("POST", "/v1/track", { email: "ada@example.com", event: "purchase", ...fields }, bearer(project.keys.public));

describe("a field that is known elsewhere is refused with what to do", () => {
  it.each<[field: string, value: unknown, advice: string]>([
    ["cc", ["a@example.com"], "to"],
    ["bcc", "a@example.com", "to"],
    ["sendAt", "2099-01-01T00:00:00Z", "scheduledAt"],
    ["scheduled_at", "2099-01-01T00:00:00Z", "scheduledAt"],
    ["replyTo", "a@example.com", "reply"],
    ["reply_to", "a@example.com", "reply"],
    ["html", "<p>Hi</p>", "body"],
    ["text", "Hi", "body"],
    ["templateId", "t", "template"],
    ["template_id", "t", "template"],
    ["tags", ["a"], "headers"],
    ["type", "markdown", "Markdown is not rendered"],
    ["type", "text", "HTML"],
    ["send_at", "2099-01-01T00:00:00Z", "scheduledAt"],
    ["idempotencyKey", "order-1", "header Idempotency-Key"],
    ["idempotency_key", "order-1", "header Idempotency-Key"],
    ["topicId", "t", "template"],
    ["metadata", { order: 1 }, "data"],
    ["previewText", "Hi", "template"],
    ["stream", "outbound", "MARKETING"],
    ...namesOfData.map((name): [string, unknown, string] => [name, { plan: "pro" }, "Use data"]),
  ])("POST /v1/send: %s", async (field, value, advice) => {
    const project = await newProject();
    const answer = await project.api.send({ [field]: value });
    expectInvalid(answer, field, "custom");
    expect(answer.body.error.errors[0].message).toContain(advice);
    await expectNoEffect(project);
  });

  it("POST /v1/send: path of an attachment", async () => {
    const project = await newProject();
    const attachments = [{ filename: "a.txt", contentType: "text/plain", path: "https://example.com/a.txt" }];
    const answer = await project.api.send({ attachments });
    expectInvalid(answer, "attachments.0.path", "custom");
    expectInvalid(answer, "attachments.0.content", "required");
  });

  it("tells of all faults at once", async () => {
    const project = await newProject();
    const answer = await project.api.send({ to: "nope", body: undefined, html: "<p>Hi</p>" });
    expect(answer.body.error.errors.map(({ field }: { field: string }) => field)).toEqual(["html", "to", "body"]);
  });

  it.each(contactFields)("POST /contacts and /v1/track: %s", async (field) => {
    const project = await newProject();
    const created = await project.api.post("/contacts", { email: "ada@example.com", [field]: "x" });
    for (const answer of [created, await track(project, { [field]: "x" })]) {
      expectInvalid(answer, field, "custom");
      expect(answer.body.error.errors[0].message).toContain("data");
    }
    await expectNoEffect(project);
  });

  it.each(["attributes", "properties"])("POST /contacts: %s is what data is", async (field) => {
    const answer = await (await newProject()).api.post("/contacts", {
      email: "ada@example.com",
      [field]: { plan: "pro" },
    });
    expect(answer.body.error.errors[0].message).toMatch(/^Use data/);
  });

  it.each([null, "", []])("takes %j there as nothing asked for", async (cc) => {
    const project = await newProject();
    expect((await project.api.send({ cc })).status).toBe(200);
  });
});

describe("any other unknown field is ignored and named", () => {
  const warning = (field: string) => expect.objectContaining({ field, message: expect.stringContaining("ignored") });
  const calls: [string, (project: TestProject, extra: Record<string, unknown>) => Promise<Answer>][] = [
    ["POST /v1/send", ({ api }, extra) => api.send(extra)],
    ["POST /v1/track", track],
    ["POST /contacts", ({ api }, extra) => api.post("/contacts", { email: "ada@example.com", ...extra })],
    ["POST /domains", ({ api }, extra) => api.post("/domains", { domain: `${crypto.randomUUID()}.test`, ...extra })],
    ["POST /suppressions", ({ api }, extra) => api.post("/suppressions", { email: "ada@example.com", ...extra })],
    [
      "POST /segments",
      ({ api }, extra) => api.post("/segments", { name: "All", type: "STATIC", condition: undefined, ...extra }),
    ],
    ["POST /admin/projects", (_, extra) => admin.post("/admin/projects", { name: "One", ...extra })],
  ];

  it.each(calls)("%s", async (_, request) => {
    const project = await newProject();
    const answer = await request(project, { whatever: 1, somethingElse: null });
    expect(answer.status).toBeLessThan(300);
    expect(answer.body.warnings).toEqual([warning("whatever"), warning("somethingElse")]);
    expect((await request(await newProject(), {})).body).not.toHaveProperty("warnings");
  });

  it.each<[string, (domain: string) => Record<string, unknown>, string]>([
    ["a recipient", () => ({ to: { email: "ada@example.com", data: { code: 1 } } }), "to.data"],
    ["a recipient of many", () => ({ to: ["a@example.com", { email: "b@example.com", cc: "x" }] }), "to.1.cc"],
    ["the sender", (domain) => ({ from: { email: `hi@${domain}`, reply: "x" } }), "from.reply"],
    [
      "a file",
      () => ({ attachments: [{ filename: "a.txt", content: "aGk=", type: "text/plain", cid: "x" }] }),
      "attachments.0.cid",
    ],
  ])("also in %s of POST /v1/send", async (_, fields, at) => {
    const project = await newProject();
    const answer = await project.api.send(fields(project.domain));
    expect([answer.status, answer.body.warnings]).toEqual([200, [warning(at)]]);
  });

  it("also where no body is taken", async () => {
    const { api } = await newProject();
    const { id } = (await api.post("/workflows", { name: "Welcome" })).body;
    const copied = await api.post(`/workflows/${id}/duplicate`, { name: "Mine" });
    expect([copied.status, copied.body.warnings]).toEqual([201, [warning("name")]]);
    const ended = await api.post(`/workflows/${id}/executions/cancel-all`, { status: "WAITING" });
    expect([ended.status, ended.body]).toEqual([200, { cancelled: 0, warnings: [warning("status")] }]);
    for (const nothing of [undefined, {}, [1]]) {
      expect((await api.post(`/workflows/${id}/executions/cancel-all`, nothing)).body).toEqual({ cancelled: 0 });
    }
  });

  it("also in a condition, where a nested one with another name would not count", async () => {
    const project = await newProject();
    const filter = { field: "email", operator: "exists" };
    const nested = { logic: "AND", groups: [{ filters: [{ ...filter, units: "days" }] }] };
    const condition = {
      logic: "AND",
      not: true,
      groups: [
        { filters: [filter], condition: nested },
        { filters: [], conditions: nested },
      ],
    };
    const warnings = (at: string) => [
      warning(`${at}.not`),
      { field: `${at}.groups.0.condition`, message: expect.stringContaining("Did you mean conditions?") },
      warning(`${at}.groups.1.conditions.groups.0.filters.0.units`),
    ];
    const made = await project.api.post("/segments", { name: "All", condition });
    expect([made.status, made.body.warnings]).toEqual([201, warnings("condition")]);
    const preview = await project.api.post("/segments/preview", { condition });
    expect([preview.status, preview.body.warnings]).toEqual([200, warnings("condition")]);
    const changed = await project.api.patch(`/segments/${made.body.id}`, { condition });
    expect([changed.status, changed.body.warnings]).toEqual([200, warnings("condition")]);
    const audience = { audienceType: "FILTERED", audienceCondition: condition };
    const content = { name: "News", subject: "News", body: "<p>Hi</p>", from: `news@${project.domain}` };
    const campaign = await project.api.post("/campaigns", { ...content, ...audience });
    expect([campaign.status, campaign.body.warnings]).toEqual([201, warnings("audienceCondition")]);
    const put = await call("PUT", `/campaigns/${campaign.body.data.id}`, audience, secret(project));
    expect([put.status, put.body.warnings]).toEqual([200, warnings("audienceCondition")]);
  });

  it("with what to do in PATCH /contacts/{id}, where it is known elsewhere", async () => {
    const project = await newProject();
    const { id } = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    const { status, body } = await project.api.patch(`/contacts/${id}`, { firstName: "Ada" });
    expect([status, body.warnings]).toEqual([200, [warning("firstName")]]);
    expect(body.warnings[0].message).toMatch(/Put it into data, .* "firstName"/);
    expect(body.data).toEqual({});
  });

  it("names the field that was probably meant", async () => {
    const project = await newProject();
    const { body } = await project.api.send({ subscribd: true });
    expect(body.warnings).toEqual([
      { field: "subscribd", message: expect.stringContaining("Did you mean subscribed?") },
    ]);
  });

  it("says nothing of type html, which is what goes out", async () => {
    const project = await newProject();
    expect((await project.api.send({ type: "html" })).body).not.toHaveProperty("warnings");
  });

  it("names 20 at most", async () => {
    const project = await newProject();
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}${"x".repeat(500)}`, 1]));
    const { body } = await project.api.send(many);
    expect(body.warnings).toHaveLength(20);
    expect(JSON.stringify(body.warnings).length).toBeLessThan(5_000);
  });
});

describe("the placeholders of another template language", () => {
  const handlebars = "{{#if plan}}Pro{{else}}Free{{/if}}";
  const mailchimp = "Hi *|FNAME|*";
  const texts = (project: TestProject) => ({
    send: (fields: object) => project.api.send({ ...fields }),
    template: (fields: object) => project.api.post("/templates", { ...soundTemplate(project), ...fields }),
    "change of a template": async (fields: object) =>
      project.api.patch(`/templates/${(await newTemplate(project)).id}`, fields),
    campaign: (fields: object) => project.api.post("/campaigns", { ...soundCampaign(project), ...fields }),
    "change of a campaign": async (fields: object) => {
      const { id } = await newCampaign(project);
      return call("PUT", `/campaigns/${id}`, { ...soundCampaign(project), ...fields }, secret(project));
    },
  });
  const places = ["send", "template", "change of a template", "campaign", "change of a campaign"] as const;

  it.each(places.flatMap((place) => [[place, "subject"] as const, [place, "body"] as const]))(
    "are refused where Liquid cannot read them, and named where they would go out: a %s, its %s",
    async (place, field) => {
      const project = await newProject();
      const request = texts(project)[place];
      const refused = await request({ [field]: handlebars });
      expectInvalid(refused, field, "custom");
      expect(refused.body.error.errors[0].message).toContain("{% if plan %}…{% endif %} (line 1, column 1)");
      const warned = await request({ [field]: mailchimp });
      expect(warned.status).toBeLessThan(300);
      expect(warned.body.warnings).toEqual([{ field, message: expect.stringContaining("{{ firstName }}") }]);
      expect((await request({ [field]: "Hi {{ firstName }}" })).body).not.toHaveProperty("warnings");
    },
  );

  it("are found in a variant of a campaign too", async () => {
    const project = await newProject();
    const variants = [
      { name: "A", weight: 1 },
      { name: "B", weight: 1, subject: mailchimp },
    ];
    const { body } = await project.api.post("/campaigns", { ...soundCampaign(project), variants });
    expect(body.warnings).toMatchObject([{ field: "variants.1.subject" }]);
  });
});

describe("a reserved key of data", () => {
  const data = { email: "eve@example.com", unsubscribeUrl: "https://example.com", plan: "pro" };
  const named = (at = "data") =>
    ["email", "unsubscribeUrl"].map((key) => ({ field: `${at}.${key}`, message: expect.stringContaining("dropped") }));

  it("is dropped, and named in the answer of every call that takes data", async () => {
    const project = await newProject();
    const { api } = project;
    const created = await api.post("/contacts", { email: "ada@example.com", data });
    expect([created.status, created.body.warnings, created.body.data]).toEqual([201, named(), { plan: "pro" }]);
    const changed = await api.patch(`/contacts/${created.body.id}`, { data });
    expect([changed.status, changed.body.warnings, changed.body.data]).toEqual([200, named(), { plan: "pro" }]);
    for (const answer of [await api.send({ data }), await track(project, { data })]) {
      expect([answer.status, answer.body.warnings]).toEqual([200, named()]);
    }
    const event = await api.post("/events/track", { email: "ada@example.com", event: "purchase", data });
    expect([event.status, event.body.warnings]).toEqual([200, named()]);
    const { id } = await newTemplate(project);
    const preview = await api.post(`/templates/${id}/preview`, { data });
    expect([preview.status, preview.body.warnings]).toEqual([200, named()]);
    expect((await api.post(`/templates/${id}/preview`, { data: { plan: "pro" } })).body).not.toHaveProperty("warnings");
  });

  it("is named in a step that writes it, and in a simulated event", async () => {
    const { api } = await newProject();
    const workflow = (await api.post("/workflows", { name: "Welcome", eventName: "signup" })).body;
    const step = await api.post(`/workflows/${workflow.id}/steps`, { type: "UPDATE_CONTACT", config: { data } });
    expect([step.status, step.body.warnings]).toEqual([201, named("config.data")]);
    const { id: contactId } = (await api.post("/contacts", { email: "ada@example.com" })).body;
    const simulated = await api.post(`/workflows/${workflow.id}/simulate`, {
      contactId,
      events: [{ name: "signup", data }],
    });
    expect([simulated.status, simulated.body.warnings]).toEqual([200, named("events.0.data")]);
  });
});

describe("a page that is larger than a page may be", () => {
  const id = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

  it.each([
    ...["/contacts", "/emails", "/activity", "/activity/upcoming", "/events", "/suppressions", "/topics"].map(
      (path) => [path, "limit", 100],
    ),
    ...["/templates", "/campaigns", "/workflows"].map((path) => [path, "pageSize", 100]),
    ["/contacts/fields/data.plan/values", "limit", 200],
  ] as [string, string, number][])("is cut, and the answer says so: GET %s?%s=1000", async (path, name, largest) => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } });
    const large = await project.api.get(`${path}?${name}=1000`);
    expect(large.status).toBe(200);
    const message = `The largest value is ${largest}, which was used.`;
    expect(large.body.warnings).toEqual([{ field: name, message }]);
    const exact = await project.api.get(`${path}?${name}=${largest}`);
    expect(exact.body).toEqual({ ...large.body, warnings: undefined });
    expect((await project.api.get(path)).body).not.toHaveProperty("warnings");
  });

  it("is told to those who list parts of something, and to operators", async () => {
    const project = await newProject();
    const { api } = project;
    const segment = (await api.post("/segments", { name: "All", type: "STATIC" })).body;
    const workflow = (await api.post("/workflows", { name: "Welcome" })).body;
    const webhook = (await api.post("/webhooks", { url: "https://shop.example/hook", events: ["*"] })).body;
    const campaign = await newCampaign(project);
    const contact = (await api.post("/contacts", { email: "ada@example.com" })).body;
    for (const path of [
      `/segments/${segment.id}/contacts?pageSize=101`,
      `/workflows/${workflow.id}/executions?pageSize=101`,
      `/webhooks/${webhook.id}/deliveries?limit=101`,
      `/campaigns/${campaign.id}/recipients?limit=101`,
      `/events/contact/${contact.id}?limit=101`,
    ]) {
      const { status, body } = await api.get(path);
      expect([path, status, body.warnings]).toEqual([
        path,
        200,
        [expect.objectContaining({ message: expect.stringContaining("100") })],
      ]);
    }
    expect((await admin.get("/admin/projects?limit=101")).body.warnings).toHaveLength(1);
    expectInvalid(await api.get(`/contacts?limit=0&cursor=${id}`), "limit", "too_small");
  });
});

describe("a field that is missing, and almost there", () => {
  it.each<[path: string, body: object, field: string, sent: string]>([
    ["/v1/send", { To: "ada@example.com", subject: "Hi", body: "Hi" }, "to", "To"],
    ["/webhooks", { URL: "https://shop.example/hook" }, "url", "URL"],
    ["/topics", { naem: "News" }, "name", "naem"],
  ])("is told by its own name: POST %s", async (path, body, field, sent) => {
    const project = await newProject();
    const answer = await project.api.post(path, body);
    expectInvalid(answer, field, "required");
    const told = `. You sent ${sent}, probably for ${field}.`;
    const message = expect.stringMatching(/^Required: .*\.$/);
    expect(answer.body.error.errors).toContainEqual({ field, message, code: "required" });
    expect(answer.body.error.message).toContain(told);
    await expectNoEffect(project);
  });

  it("is told in a part of the body, and only what nobody reads is taken for it", async () => {
    const project = await newProject();
    const attachments = [
      { fileName: "a.txt", content: "YQ==", contentType: "text/plain" },
      { filename: "b.txt", contentId: "b", contentType: "text/plain" },
    ];
    const { errors } = (await project.api.send({ attachments })).body.error;
    expect(errors).toMatchObject([
      {
        field: "attachments.0.filename",
        message: expect.stringContaining("shown. You sent fileName, probably for filename."),
      },
      { field: "attachments.1.content", message: "Required: the file in base64" },
    ]);
  });

  it("is told in an execution, in a step, and in its config", async () => {
    const project = await newProject();
    const workflow = (await project.api.post("/workflows", { name: "Welcome" })).body;
    const post = async (path: string, body: object) =>
      (await project.api.post(`/workflows/${workflow.id}${path}`, body)).body.error.errors;
    const message = (sent: string, meant: string) => `Required: a string. You sent ${sent}, probably for ${meant}.`;
    expect(await post("/executions", { contactID: workflow.id })).toMatchObject([
      { field: "contactId", message: message("contactID", "contactId") },
    ]);
    const config = { eventname: "purchase" };
    expect(await post("/steps", { type: "WAIT_FOR_EVENT", name: "Wait", config })).toMatchObject([
      { field: "config.eventName", message: message("eventname", "eventName") },
    ]);
  });
});

describe("a query parameter that a route does not know", () => {
  it.each([
    ["GET", "/contacts?page=2", "page", "limit, cursor"],
    ["GET", "/emails?state=SENT", "state", "status"],
    ["GET", "/templates?per_page=5", "per_page", "pageSize"],
    ["POST", "/contacts?email=a@example.com", "email", "no query parameters"],
    ["GET", "/jobs/x?a=1", "a", "no query parameters"],
  ])("is refused, with those that it knows: %s %s", async (method, path, field, known) => {
    const project = await newProject();
    const body = method === "GET" ? undefined : { email: "ada@example.com" };
    const answer = await call(method, path, body, secret(project));
    expectInvalid(answer, field, "custom");
    expect(answer.body.error.errors[0].message).toContain(known);
    await expectNoEffect(project);
  });

  it("is refused to operators too", async () => {
    expectInvalid(await admin.get("/admin/projects?page=2"), "page", "custom");
  });

  it.each([
    "/docs?utm_source=x",
    "/docs/sending?utm_source=x",
    "/docs/reference?x=1",
    "/llms.txt?x=1",
    "/openapi.json?x=1",
    "/outbox?utm=x",
    "/outbox/messages?x=1",
    "/health?x=1",
  ])("is ignored where people and mail clients come: %s", async (path) => {
    expect((await call("GET", path)).status).toBe(200);
  });
});

describe("a slash at the end of a path", () => {
  it.each(["/contacts/", "/emails/", "/domains/", "/contacts/?limit=1"])("is as none: GET %s", async (path) => {
    expect((await (await newProject()).api.get(path)).status).toBe(200);
  });

  it("is as none in POST /v1/send/", async () => {
    const project = await newProject();
    const mail = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
    expect((await project.api.post("/v1/send/", mail)).status).toBe(200);
  });
});

describe("a key that came another way", () => {
  const key = `sk_${"0".repeat(64)}`;

  it.each<[string, Record<string, string>, string]>([
    ["in x-api-key", { "X-Api-Key": key }, "X-Api-Key"],
    ["in quotes", { Authorization: `Bearer "${key}"` }, "quotes"],
    ["without Bearer", { Authorization: key }, "without the word Bearer"],
    ["as Basic", { Authorization: `Basic ${btoa(`${key}:`)}` }, "does not begin with the word Bearer"],
    ["cut off", { Authorization: `Bearer ${key.slice(0, 20)}` }, "has 20 characters"],
    ["not at all", {}, "no Authorization header"],
    ["unknown", { Authorization: `Bearer ${key}` }, "no project has it"],
  ])("%s: the answer says so, and does not show it", async (_, headers, seen) => {
    const answer = await call("POST", "/v1/send", {}, { headers });
    expectRefusal(answer, 401, "INVALID_API_KEY");
    expect(answer.body.error.message).toContain(seen);
    expect(answer.body.message).toContain("Authorization: Bearer sk_");
    expect(JSON.stringify(answer.body)).not.toContain("000000");
  });
});

describe("a body that is not JSON", () => {
  it.each([
    ["empty", "", "application/json", "is empty"],
    ["form-encoded", "email=ada%40example.com&event=x", "application/x-www-form-urlencoded", "form-encoded"],
    ["multipart", "--x\r\n", "multipart/form-data; boundary=x", "multipart form"],
    ["cut off, with the type that curl sends", '{"email":', "application/x-www-form-urlencoded", "not valid JSON"],
    ["cut off", '{"email":', "application/json", "not valid JSON"],
  ])("%s", async (_, body, type, seen) => {
    const project = await newProject();
    const headers = { ...secret(project).headers, "Content-Type": type };
    for (const path of ["/v1/send", "/contacts", "/v1/verify"]) {
      const answer = await call("POST", path, body, { headers });
      expectRefusal(answer, 400, "BAD_REQUEST");
      expect(answer.body.error.message).toContain(seen);
    }
  });
});

describe("an address with a name in one string", () => {
  it.each([
    ["to", "Acme <a@b.example>", "to"],
    ["from", '"Acme, Inc." <a@b.example>', "from"],
  ])("of /v1/send is answered with the form to use: %s", async (field, value, at) => {
    const answer = await (await newProject()).api.send({ [field]: value });
    expectInvalid(answer, at, "invalid_string");
    expect(answer.body.error.errors[0].message).toMatch(/"email":"a@b.example"/);
    // Plunk's client shows nothing else.
    expect(answer.body.message).toMatch(/"email":"a@b.example".* Correct the fields/);
  });

  it("of POST /contacts is answered with the address alone", async () => {
    const answer = await (await newProject()).api.post("/contacts", { email: "Ada <ada@example.com>" });
    expect(answer.body.error.errors[0].message).toBe('Must be the address alone, without a name: "ada@example.com"');
  });

  it("and several in one string are to be a list", async () => {
    const answer = await (await newProject()).api.send({ to: "a@example.com, b@example.com" });
    expect(answer.body.error.errors[0].message).toContain("as a list");
  });
});

describe("a route that does not exist", () => {
  it.each([
    ["POST", "/emails", 405, "Here it is POST /v1/send."],
    ["POST", "/email", 404, "Here it is POST /v1/send."],
    ["POST", "/contact", 404, "Did you mean POST /contacts?"],
    ["GET", "/contact/some-id", 404, "Did you mean GET /contacts/{id}?"],
    ["GET", "/api/v1/contacts", 404, "Here it is GET /contacts."],
    ["GET", "/v1/contacts", 404, "Here it is GET /contacts."],
    ["POST", "/v1/v1/send", 404, "Here it is POST /v1/send."],
    ["PUT", "/workflows/some-id", 405, "Here it is PUT /workflows/some-id/document."],
    ["PATCH", "/templates", 405, "Did you mean PATCH /templates/{id}?"],
    ["GET", "/v1/jobs", 404, "Here it is GET /jobs."],
    ["GET", "/job/some-id", 404, "Did you mean GET /jobs/{id}?"],
  ])("names the nearest one: %s %s", async (method, path, status, advice) => {
    const project = await newProject();
    const answer = await call(method, path, method === "POST" ? {} : undefined, secret(project));
    expect(answer.status).toBe(status);
    expect(answer.body.error.suggestion).toContain(advice);
  });

  it("names none when none is near", async () => {
    const answer = await (await newProject()).api.get("/something/else");
    expect(answer.body.error.suggestion).toBe("See /docs/reference for all endpoints.");
  });
});

it("lists the project's own domains without its id", async () => {
  const [project, other] = [await newProject(), await newProject()];
  const { status, body } = await project.api.get("/domains");
  expect([status, body.map(({ domain }: { domain: string }) => domain)]).toEqual([200, [project.domain]]);
  expect((await project.api.get(`/domains/project/${project.id}`)).body).toEqual(body);
  expect((await call("GET", "/domains", undefined, bearer(other.keys.public))).status).toBe(401);
});
