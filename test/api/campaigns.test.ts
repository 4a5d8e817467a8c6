import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { newCampaign, putCampaign, soundCampaign } from "../support/campaign";
import { type Answer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { isPro, newSegment } from "../support/segment";
import { newTemplate } from "../support/template";

type Fields = Record<string, unknown>;

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
const long = (length: number) => "x".repeat(length);

async function count(project: TestProject): Promise<number> {
  const all = project.db.prepare("SELECT count(*) AS n FROM campaigns WHERE project_id = ?");
  return (await all.bind(project.id).first("n")) ?? 0;
}

function setStatus(project: TestProject, id: string, status: string) {
  return project.db
    .prepare("UPDATE campaigns SET status = ?, version = version + 1 WHERE project_id = ? AND id = ?")
    .bind(status, project.id, readId(id))
    .run();
}

const states = ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"];

describe("POST /campaigns", () => {
  it("makes a draft, MARKETING unless told otherwise", async () => {
    const project = await newProject();
    const { status, body } = await project.api.post("/campaigns", soundCampaign(project));
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(uuid),
        ...soundCampaign(project),
        description: null,
        fromName: null,
        replyTo: null,
        previewText: null,
        type: "MARKETING",
        status: "DRAFT",
        heldReason: null,
        progress: null,
        segmentId: null,
        audienceCondition: null,
        templateId: null,
        topicId: null,
        variants: null,
        canary: null,
        scheduledFor: null,
        totalRecipients: 0,
        sentCount: 0,
        deliveredCount: 0,
        openedCount: 0,
        clickedCount: 0,
        bouncedCount: 0,
        version: 1,
        projectId: project.id,
        sentAt: null,
        completedAt: null,
        createdAt: expect.stringMatching(isoTime),
        updatedAt: body.data.createdAt,
      },
    });
    expect((await project.api.get(`/campaigns/${body.data.id}`)).body).toEqual(body.data);
  });

  it("keeps every field", async () => {
    const project = await newProject();
    const fields = {
      description: "Note",
      fromName: "Acme",
      replyTo: "help@example.com",
      previewText: "Three things",
      type: "HEADLESS",
      audienceType: "FILTERED",
      audienceCondition: isPro,
      variants: [
        { name: "short", weight: 1, subject: "News" },
        { name: "long", weight: 3, body: "<p>Long</p>", from: `other@${project.domain}` },
      ],
      canary: { percent: 10, holdMinutes: 60, maxBounceRate: 2.5 },
    };
    expect(await newCampaign(project, fields)).toMatchObject(fields);
  });

  it("stores large bodies in files", async () => {
    const project = await newProject();
    const body = `<p>${"€".repeat(100_000)}</p>`;
    const variants = [
      { name: "a", weight: 1, body: `${body}a` },
      { name: "b", weight: 1, body: "<p>b</p>" },
    ];
    const made = await newCampaign(project, { body, variants });
    expect(made).toMatchObject({ body, variants });
    const { objects } = await env.BLOBS.list({ prefix: `campaign/${project.id}/` });
    expect(objects).toHaveLength(2);
  });

  it("takes what is left out from a template", async () => {
    const project = await newProject();
    const template = await newTemplate(project, { fromName: "Acme", replyTo: "help@example.com", type: "HEADLESS" });
    const { subject, body, from, fromName, replyTo, type } = template;
    const asked = { name: "March", audienceType: "ALL", templateId: template.id };
    const { body: made } = await project.api.post("/campaigns", asked);
    expect(made.data).toMatchObject({ subject, body, from, fromName, replyTo, type, templateId: template.id });
    const own = await newCampaign(project, { ...asked, subject: "Mine", fromName: null });
    expect(own).toMatchObject({ subject: "Mine", fromName: null, replyTo });
    const { body: used } = await project.api.get(`/templates/${template.id}/usage`);
    expect(used.campaigns).toEqual([own.id, made.data.id].map((id) => ({ id, name: "March" })));
  });

  it("is not reached by later changes of the template", async () => {
    const project = await newProject();
    const template = await newTemplate(project);
    const made = await newCampaign(project, { templateId: template.id, subject: undefined, body: undefined });
    await project.api.patch(`/templates/${template.id}`, { body: "<p>Other</p>" });
    expect((await project.api.get(`/campaigns/${made.id}`)).body.body).toBe(template.body);
  });

  it.each<[string, Fields, string]>([
    ["no name", { name: undefined }, "name"],
    ["a name of 101 characters", { name: long(101) }, "name"],
    ["no subject", { subject: undefined }, "subject"],
    ["a subject on two lines", { subject: "a\nb" }, "subject"],
    ["no body", { body: undefined }, "body"],
    ["an empty body", { body: "" }, "body"],
    ["no sender", { from: undefined }, "from"],
    ["a sender that is no address", { from: "nope" }, "from"],
    ["no audience type", { audienceType: undefined }, "audienceType"],
    ["an unknown audience type", { audienceType: "SOME" }, "audienceType"],
    ["an unknown type", { type: "SPAM" }, "type"],
    ["a segment that is no UUID", { audienceType: "SEGMENT", segmentId: "vip" }, "segmentId"],
    ["a template that is no UUID", { templateId: "welcome" }, "templateId"],
    ["a preview text of 151 characters", { previewText: long(151) }, "previewText"],
    ["broken Liquid in the body", { body: "<p>\n{% if %}" }, "body"],
    ["an unknown filter in the subject", { subject: "{{ a | nofilter }}" }, "subject"],
    ["one variant", { variants: [{ name: "a", weight: 1 }] }, "variants"],
    ["six variants", { variants: [..."abcdef"].map((name) => ({ name, weight: 1 })) }, "variants"],
    ["two variants of a name", { variants: ["a", "a"].map((name) => ({ name, weight: 1 })) }, "variants"],
    [
      "a weight of 0",
      {
        variants: [
          { name: "a", weight: 0 },
          { name: "b", weight: 1 },
        ],
      },
      "variants.0.weight",
    ],
    [
      "broken Liquid in a variant",
      {
        variants: [
          { name: "a", weight: 1, body: "{{" },
          { name: "b", weight: 1 },
        ],
      },
      "variants.0.body",
    ],
    ["a canary of 51 percent", { canary: { percent: 51, holdMinutes: 5 } }, "canary.percent"],
    ["a canary without a hold", { canary: { percent: 5 } }, "canary.holdMinutes"],
    [
      "an invalid condition",
      { audienceType: "FILTERED", audienceCondition: { ...isPro, logic: "XOR" } },
      "audienceCondition.logic",
    ],
    [
      "a condition on an unknown segment",
      {
        audienceType: "FILTERED",
        audienceCondition: {
          logic: "AND",
          groups: [{ filters: [{ field: `segment.${nowhere}`, operator: "memberOfSegment" }] }],
        },
      },
      "audienceCondition.groups.0.filters.0.field",
    ],
  ])("refuses %s", async (_, fields, field) => {
    const project = await newProject();
    const { status, body } = await project.api.post("/campaigns", { ...soundCampaign(project), ...fields });
    expect(status, JSON.stringify(body)).toBe(422);
    expect(body.error.errors.map((fault: { field: string }) => fault.field)).toEqual([field]);
    expect(await count(project)).toBe(0);
  });

  it.each([
    ["SEGMENT", "segmentId"],
    ["FILTERED", "audienceCondition"],
  ])("refuses %s without %s with 400", async (audienceType, field) => {
    const project = await newProject();
    const answer = await project.api.post("/campaigns", { ...soundCampaign(project), audienceType });
    expectRefusal(answer, 400, "BAD_REQUEST", { details: { field } });
    expect(await count(project)).toBe(0);
  });

  it("does not store the companion of another audience type, and says so", async () => {
    const project = await newProject();
    const segment = await newSegment(project);
    const toSegment = { ...soundCampaign(project), audienceType: "SEGMENT", segmentId: segment.id };
    const first = await project.api.post("/campaigns", { ...toSegment, audienceCondition: isPro });
    expect(first.body.data).toMatchObject({ segmentId: segment.id, audienceCondition: null });
    expect(first.body.warnings).toMatchObject([{ field: "audienceCondition" }]);
    const second = await project.api.post("/campaigns", {
      ...soundCampaign(project),
      segmentId: segment.id,
      audienceCondition: isPro,
    });
    expect(second.body.data).toMatchObject({ segmentId: null, audienceCondition: null });
    expect(second.body.warnings).toMatchObject([{ field: "segmentId" }, { field: "audienceCondition" }]);
  });

  it("refuses senders of other domains, in variants too", async () => {
    const project = await newProject();
    const refusal = { details: { reason: "domain_not_verified", domain: "elsewhere.test" } };
    for (const fields of [
      { from: "news@elsewhere.test" },
      { variants: ["a", "b"].map((name) => ({ name, weight: 1, from: "news@elsewhere.test" })) },
    ]) {
      const answer = await project.api.post("/campaigns", { ...soundCampaign(project), ...fields });
      expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", refusal);
    }
    expect(await count(project)).toBe(0);
  });

  it("does not know what is another project's", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const segment = await newSegment(other);
    const template = await newTemplate(other);
    const post = (fields: Fields) => project.api.post("/campaigns", { ...soundCampaign(project), ...fields });
    expectRefusal(await post({ audienceType: "SEGMENT", segmentId: segment.id }), 404, "SEGMENT_NOT_FOUND", {
      details: { resource: "segment", id: segment.id },
    });
    expectRefusal(await post({ templateId: template.id }), 404, "TEMPLATE_NOT_FOUND", {
      details: { resource: "template", id: template.id },
    });
    expect(await count(project)).toBe(0);
  });

  it("refuses the 10,001st", async () => {
    const project = await newProject();
    await newCampaign(project);
    await project.db
      .prepare(
        `INSERT INTO campaigns (project_id, id, name, status, audience_type, type, subject, from_email, search_text,
            created_at, updated_at)
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
          SELECT ?, 'x' || i, 'x', 'DRAFT', 'ALL', 'MARKETING', 'x', 'x', 'x', 0, 0 FROM n`,
      )
      .bind(project.id)
      .run();
    expectRefusal(await project.api.post("/campaigns", soundCampaign(project)), 409, "CONFLICT");
    expect(await count(project)).toBe(10_000);
  });
});

describe("PUT /campaigns/{id}", () => {
  it("changes what is sent, and keeps the rest", async () => {
    const project = await newProject();
    const made = await newCampaign(project, { description: "Note", fromName: "Acme" });
    const { status, body } = await putCampaign(project, made.id, { subject: "Other", fromName: null });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: { ...made, subject: "Other", fromName: null, version: 2, updatedAt: body.data.updatedAt },
    });
  });

  it("clears the companion of the type before", async () => {
    const project = await newProject();
    const segment = await newSegment(project);
    const made = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id });
    expectRefusal(await project.api.delete(`/segments/${segment.id}`), 409, "CONFLICT", {
      details: { segments: [], campaigns: [{ id: made.id, name: "March" }], workflows: [] },
    });
    const filtered = await putCampaign(project, made.id, { audienceType: "FILTERED", audienceCondition: isPro });
    expect(filtered.body.data).toMatchObject({ segmentId: null, audienceCondition: isPro });
    expect((await project.api.delete(`/segments/${segment.id}`)).status).toBe(204);
    for (const [change, field] of [
      [{ audienceType: "SEGMENT" }, "segmentId"],
      [{ audienceCondition: null }, "audienceCondition"],
    ] as const)
      expectRefusal(await putCampaign(project, made.id, change), 400, "BAD_REQUEST", { details: { field } });
    const { body } = await putCampaign(project, made.id, { audienceType: "ALL" });
    expect(body.data).toMatchObject({ audienceType: "ALL", audienceCondition: null });
  });

  it("copies a template again when the call names it", async () => {
    const project = await newProject();
    const template = await newTemplate(project);
    const made = await newCampaign(project, { templateId: template.id, subject: undefined });
    await project.api.patch(`/templates/${template.id}`, { subject: "Newer" });
    expect((await putCampaign(project, made.id, { name: "April" })).body.data.subject).toBe(template.subject);
    expect((await putCampaign(project, made.id, { templateId: template.id })).body.data.subject).toBe("Newer");
    const { body } = await putCampaign(project, made.id, { templateId: null });
    expect(body.data).toMatchObject({ templateId: null, subject: "Newer" });
  });

  it("refuses a sender of another domain", async () => {
    const project = await newProject();
    const made = await newCampaign(project);
    const answer = await putCampaign(project, made.id, { from: "news@elsewhere.test" });
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: "elsewhere.test" },
    });
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
  });

  it.each(states)("in state %s", async (state) => {
    const project = await newProject();
    const made = await newCampaign(project);
    await setStatus(project, made.id, state);
    const answer = await putCampaign(project, made.id, { name: "Other" });
    if (state === "DRAFT" || state === "SCHEDULED") expect(answer.status).toBe(200);
    else expectRefusal(answer, 409, "CONFLICT", { details: { status: state } });
  });

  it("loses no change when several come at once", async () => {
    const project = await newProject();
    const made = await newCampaign(project);
    const changes = [{ name: "A" }, { subject: "B" }, { description: "C" }, { fromName: "D" }, { previewText: "E" }];
    await Promise.all(changes.map((change) => putCampaign(project, made.id, change)));
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toMatchObject(Object.assign({}, ...changes));
  });
});

describe("GET /campaigns", () => {
  it("lists by page, status, search and order", async () => {
    const project = await newProject();
    const names = ["beta", "Alpha", "gamma"];
    for (const name of names) await newCampaign(project, { name, subject: `About ${name}` });
    const { body } = await project.api.get("/campaigns?pageSize=2");
    expect(body).toMatchObject({ page: 1, pageSize: 2, total: 3, totalPages: 2 });
    const namesOf = async (query: string) =>
      (await project.api.get(`/campaigns${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await namesOf("?pageSize=2&page=2")).toEqual(["beta"]);
    expect(await namesOf("?sort=name&dir=asc")).toEqual(["Alpha", "beta", "gamma"]);
    expect(await namesOf("?sort=nonsense&dir=nonsense")).toEqual(["gamma", "Alpha", "beta"]);
    expect(await namesOf("?search=ABOUT%20al")).toEqual(["Alpha"]);
    expect(await namesOf(`?search=news@${project.domain}`)).toHaveLength(3);
    expect(await namesOf("?status=DRAFT")).toHaveLength(3);
    expect(await namesOf("?status=SENT")).toEqual([]);
  });

  it("refuses an unknown status with 400", async () => {
    const project = await newProject();
    expectRefusal(await project.api.get("/campaigns?status=draft"), 400, "BAD_REQUEST", {
      details: { allowed: states },
    });
  });
});

describe("DELETE /campaigns/{id}", () => {
  it.each(states)("in state %s", async (state) => {
    const project = await newProject();
    const made = await newCampaign(project);
    await setStatus(project, made.id, state);
    const answer = await project.api.delete(`/campaigns/${made.id}`);
    if (state === "SCHEDULED" || state === "SENDING") {
      expectRefusal(answer, 409, "CONFLICT", { details: { status: state } });
      expect(await count(project)).toBe(1);
    } else {
      expect(answer.status).toBe(204);
      expect((await project.api.get(`/campaigns/${made.id}`)).status).toBe(404);
    }
  });
});

describe("POST /campaigns/{id}/duplicate", () => {
  it("makes a draft of the same content", async () => {
    const project = await newProject();
    const segment = await newSegment(project);
    const body = `<p>${long(100_000)}</p>`;
    const made = await newCampaign(project, { audienceType: "SEGMENT", segmentId: segment.id, body });
    await setStatus(project, made.id, "SENT");
    const { status, body: answer } = await project.api.post(`/campaigns/${made.id}/duplicate`);
    expect(status).toBe(201);
    const { id, createdAt, updatedAt } = answer.data;
    expect(id).not.toBe(made.id);
    expect(answer).toEqual({
      success: true,
      data: { ...made, id, name: "March (Copy)", status: "DRAFT", createdAt, updatedAt },
    });
  });
});

describe("a campaign's id", () => {
  const calls: [string, (project: TestProject, id: string) => Promise<Answer>][] = [
    ["GET", (project, id) => project.api.get(`/campaigns/${id}`)],
    ["PUT", (project, id) => putCampaign(project, id, { name: "x" })],
    ["DELETE", (project, id) => project.api.delete(`/campaigns/${id}`)],
    ["duplicate", (project, id) => project.api.post(`/campaigns/${id}/duplicate`)],
  ];

  it.each(calls)("%s knows none of another project, and only UUIDs", async (_, ask) => {
    const [project, other] = [await newProject(), await newProject()];
    const made = await newCampaign(other);
    for (const id of [made.id, nowhere])
      expectRefusal(await ask(project, id), 404, "CAMPAIGN_NOT_FOUND", {
        details: { resource: "campaign", id },
      });
    expectInvalid(await ask(project, "march"), "id", "invalid_string");
    expect((await other.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
  });
});

describe("a sender domain", () => {
  it("is kept while a scheduled or sending campaign uses it", async () => {
    const project = await newProject();
    const { body: list } = await project.api.get("/domains");
    const [domain] = list.data ?? list;
    const made = await newCampaign(project);
    for (const status of ["SCHEDULED", "SENDING"]) {
      await setStatus(project, made.id, status);
      const answer = await project.api.delete(`/domains/${domain.id}`);
      expectRefusal(answer, 409, "CONFLICT", {
        details: { domain: project.domain, usedBy: [{ type: "campaign", id: made.id, name: "March" }] },
      });
      expect(answer.body.error.suggestion).toContain("POST /campaigns/{id}/cancel");
    }
    await setStatus(project, made.id, "SENT");
    expect((await project.api.delete(`/domains/${domain.id}`)).status).toBe(204);
  });
});

describe("POST /campaigns/{id}/send with an Idempotency-Key", () => {
  const sendWith = (project: TestProject, id: string, key: string, body: unknown = {}) => {
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Idempotency-Key": key };
    return call("POST", `/campaigns/${id}/send`, body, { headers });
  };

  it("sends once, and a 4xx releases the key", async () => {
    const project = await newProject();
    const { id } = await newCampaign(project);
    expect((await sendWith(project, id, "k1", { scheduledFor: "tomorrow" })).status).toBe(400);
    const first = await sendWith(project, id, "k1");
    expect(first.status).toBe(200);
    const second = await sendWith(project, id, "k1");
    expect(second.status).toBe(409);
    expect(second.body.error.details.originalResponse).toEqual(first.body);
  });

  it("warns of marketing email without a postal address, also in the answer that is kept", async () => {
    const [without, withOne] = [await newProject(), await newProject({ company: "Acme", postalAddress: "1 Main St" })];
    for (const [project, type, expected] of [
      [
        without,
        "MARKETING",
        [{ field: "postalAddress", message: expect.stringContaining("PATCH /admin/projects/{id}") }],
      ],
      [without, "TRANSACTIONAL", undefined],
      [withOne, "MARKETING", undefined],
    ] as const) {
      const { id } = await newCampaign(project, { type });
      const first = await sendWith(project, id, `now ${type}`);
      expect([first.status, first.body.warnings]).toEqual([200, expected]);
      const second = await sendWith(project, id, `now ${type}`);
      expect(second.body.error.details.originalResponse).toEqual(first.body);
      const later = await newCampaign(project, { type });
      const scheduled = await sendWith(project, later.id, `later ${type}`, { scheduledFor: "2090-01-01" });
      expect([scheduled.status, scheduled.body.warnings]).toEqual([200, expected]);
    }
  });

  it("takes a campaign whose bodies are larger than a row", async () => {
    const project = await newProject();
    const body = "ä".repeat(700_000);
    const { id } = await newCampaign(project, {
      body,
      variants: ["a", "b"].map((name) => ({ name, weight: 1, body })),
    });
    const first = await sendWith(project, id, "k1");
    expect([first.status, first.body.data?.status]).toEqual([200, "SENDING"]);
    const kept = project.db.prepare("SELECT max(length(CAST(response AS BLOB))) AS n FROM idempotency_effects");
    expect(await kept.first("n")).toBeLessThan(2_000_000);
    const second = await sendWith(project, id, "k1");
    expect(second.status).toBe(409);
    expect(second.body.error.details.originalResponse.data).toMatchObject({ id, status: "SENDING" });
  });
});

describe("scheduledFor", () => {
  it.each([[0], [1_900_000_000_000], ["2030-01-01"], ["Tue, 01 Jan 2030 09:00:00 GMT"], [8.64e15], ["0000-01-01"]])(
    "%j is a time",
    async (scheduledFor) => {
      const project = await newProject();
      const { id } = await newCampaign(project);
      const { status, body } = await project.api.post(`/campaigns/${id}/send`, { scheduledFor });
      expect([status, body.data?.scheduledFor]).toEqual([200, new Date(scheduledFor).toISOString()]);
      expect((await project.api.get("/campaigns?sort=scheduledFor")).body.data[0].status).toBe("SCHEDULED");
    },
  );

  it("is left out when delaySeconds is there", async () => {
    const project = await newProject();
    const { id } = await newCampaign(project);
    const both = { scheduledFor: "2090-01-01", delaySeconds: 10 };
    expectInvalid(await project.api.post(`/campaigns/${id}/send`, both), "delaySeconds", "custom");
    expectInvalid(await project.api.post(`/campaigns/${id}/send`, { delaySeconds: 0 }), "delaySeconds", "too_small");
    expect((await project.api.get(`/campaigns/${id}`)).body.status).toBe("DRAFT");
    const before = Date.now();
    const { status, body } = await project.api.post(`/campaigns/${id}/send`, { delaySeconds: 3_600 });
    expect([status, body.data.status]).toEqual([200, "SCHEDULED"]);
    expect(Date.parse(body.data.scheduledFor) - before).toBeGreaterThanOrEqual(3_600_000);
    const other = await newProject();
    expect((await other.api.post(`/campaigns/${id}/unschedule`)).status).toBe(404);
  });
});
