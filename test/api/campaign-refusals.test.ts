import { describe, expect, it } from "vitest";
import { newCampaign, putCampaign } from "../support/campaign";
import { type Answer, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { isPro, newSegment } from "../support/segment";

type Ask = (project: TestProject, id: string) => Promise<Answer>;

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

/** How many rows the project has in these tables. */
async function rowsOf({ db, number }: TestProject, ...tables: string[]): Promise<number> {
  let rows = 0;
  for (const table of tables) {
    const query = db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`);
    rows += (await query.bind(number).first<number>("n")) ?? 0;
  }
  return rows;
}

describe("PUT /campaigns/{id}", () => {
  const noSegment = { groups: [{ filters: [{ field: `segment.${nowhere}`, operator: "memberOfSegment" }] }] };
  it.each<[string, Record<string, unknown>, string, string]>([
    ["broken Liquid", { body: "<p>\n{% if %}" }, "body", "line 2"],
    ["an unknown filter", { subject: "{{ a | nofilter }}" }, "subject", "nofilter"],
    ["broken Liquid in the preview text", { previewText: "{{ a" }, "previewText", "line 1"],
    ["a tree that is a list", { audienceCondition: [] }, "audienceCondition", "expected object"],
    ["a tree without groups", { audienceCondition: { logic: "AND" } }, "audienceCondition.groups", ""],
    ["no groups at all", { audienceCondition: { logic: "AND", groups: [] } }, "audienceCondition.groups", ""],
    [
      "a group without filters",
      { audienceCondition: { logic: "AND", groups: [{ filters: [] }] } },
      "audienceCondition.groups.0",
      "",
    ],
    [
      "an unknown operator",
      { audienceCondition: { logic: "AND", groups: [{ filters: [{ field: "data.a", operator: "is", value: 1 }] }] } },
      "audienceCondition.groups.0.filters.0.operator",
      "",
    ],
    [
      "an unknown segment",
      { audienceCondition: { logic: "AND", ...noSegment } },
      "audienceCondition.groups.0.filters.0.field",
      "",
    ],
  ])("refuses %s, and changes nothing", async (_, fields, field, said) => {
    const project = await newProject();
    const made = await newCampaign(project, { audienceType: "FILTERED", audienceCondition: isPro });
    const { status, body } = await putCampaign(project, made.id, { name: "Other", ...fields });
    expect(status, JSON.stringify(body)).toBe(422);
    const [fault, ...others] = body.error.errors;
    expect([fault.field, others]).toEqual([field, []]);
    expect(fault.message).toContain(said);
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
  });

  it("refuses a segment of another project, by itself and in a condition", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const segment = await newSegment(other);
    const made = await newCampaign(project);
    const bySegment = await putCampaign(project, made.id, { audienceType: "SEGMENT", segmentId: segment.id });
    expectRefusal(bySegment, 404, "SEGMENT_NOT_FOUND", { details: { resource: "segment", id: segment.id } });
    const filters = [{ field: `segment.${segment.id}`, operator: "memberOfSegment" }];
    const byCondition = await putCampaign(project, made.id, {
      audienceType: "FILTERED",
      audienceCondition: { logic: "AND", groups: [{ filters }] },
    });
    expect([byCondition.status, byCondition.body.error.errors[0].field]).toEqual([
      422,
      "audienceCondition.groups.0.filters.0.field",
    ]);
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
  });

  it("does not store a condition beside a segment, and says so", async () => {
    const project = await newProject();
    const segment = await newSegment(project);
    const made = await newCampaign(project);
    const change = { audienceType: "SEGMENT", segmentId: segment.id, audienceCondition: isPro };
    const { status, body } = await putCampaign(project, made.id, change);
    expect([status, body.data.audienceCondition, body.data.segmentId]).toEqual([200, null, segment.id]);
    expect(body.warnings).toMatchObject([{ field: "audienceCondition" }]);
  });
});

describe("a sender that is not verified any more", () => {
  const lose = (project: TestProject) =>
    project.db.prepare("UPDATE domains SET status = 'FAILED' WHERE project_id = ?").bind(project.number).run();
  const calls: [string, Ask][] = [
    ["sent", (project, id) => project.api.post(`/campaigns/${id}/send`)],
    ["scheduled", (project, id) => project.api.post(`/campaigns/${id}/send`, { scheduledFor: "2090-01-01T09:00:00Z" })],
    ["tested", (project, id) => project.api.post(`/campaigns/${id}/test`, { email: "ada@example.com" })],
    ["changed", (project, id) => putCampaign(project, id, { from: `other@${project.domain}` })],
  ];

  it.each(calls)("keeps a campaign from being %s", async (_, ask) => {
    const project = await newProject();
    const made = await newCampaign(project);
    await lose(project);
    expectRefusal(await ask(project, made.id), 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: project.domain },
    });
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
    expect(await rowsOf(project, "campaign_runs", "emails", "email_contents")).toBe(0);
  });

  it("is looked for in variants too", async () => {
    const project = await newProject();
    const other = `news.${project.domain}`;
    await project.api.post("/domains", { domain: other });
    const variants = ["a", "b"].map((name) => ({ name, weight: 1, from: `news@${other}` }));
    const made = await newCampaign(project, { variants });
    const lost = "UPDATE domains SET status = 'FAILED' WHERE project_id = ? AND domain = ?";
    await project.db.prepare(lost).bind(project.number, other).run();
    const answer = await project.api.post(`/campaigns/${made.id}/send`);
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", { details: { reason: "domain_not_verified", domain: other } });
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
  });

  it("keeps nobody from changing the rest", async () => {
    const project = await newProject();
    const made = await newCampaign(project);
    await lose(project);
    expect((await putCampaign(project, made.id, { subject: "Other" })).status).toBe(200);
  });
});

describe("scheduledFor", () => {
  it.each([
    ...["tomorrow", "2026-13-01", "2026-01-01T25:00:00Z", "", " ", {}, { at: "2026-01-01" }, [], ["2026-01-01"]],
    ...[true, false, 8.64e15 + 1, -1e300],
  ])("%j is refused", async (scheduledFor) => {
    const project = await newProject();
    const made = await newCampaign(project);
    const answer = await project.api.post(`/campaigns/${made.id}/send`, { scheduledFor });
    expectRefusal(answer, 400, "BAD_REQUEST", { details: { field: "scheduledFor" } });
    expect(answer.body.error.message).toContain(JSON.stringify(scheduledFor));
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
    expect(await rowsOf(project, "campaign_runs")).toBe(0);
  });
});

const act = (what: string): [string, Ask] => [what, (project, id) => project.api.post(`/campaigns/${id}/${what}`)];

describe("what is done with a campaign", () => {
  const calls: [string, Ask][] = [
    ...["send", "cancel", "pause", "resume", "retry"].map(act),
    ["test", (project, id) => project.api.post(`/campaigns/${id}/test`, { email: "ada@example.com" })],
    ["stats", (project, id) => project.api.get(`/campaigns/${id}/stats`)],
    ["recipients", (project, id) => project.api.get(`/campaigns/${id}/recipients`)],
    ["links", (project, id) => project.api.get(`/campaigns/${id}/links`)],
    ["explain", (project, id) => project.api.get(`/campaigns/${id}/explain?email=ada@example.com`)],
  ];

  it.each(calls)("knows none of another project, and only UUIDs: %s", async (_, ask) => {
    const [project, other] = [await newProject(), await newProject()];
    const made = await newCampaign(other);
    for (const id of [made.id, nowhere])
      expectRefusal(await ask(project, id), 404, "CAMPAIGN_NOT_FOUND", { details: { resource: "campaign", id } });
    expectInvalid(await ask(project, "march"), "id", "invalid_string");
    expect((await other.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
    for (const one of [project, other]) expect(await rowsOf(one, "campaign_runs", "emails", "email_contents")).toBe(0);
  });

  it.each<[string, string, unknown, string]>([
    ["retry", "a status that cannot be retried", { statuses: ["SENT"] }, "statuses.0"],
    ["retry", "no statuses", { statuses: [] }, "statuses"],
    ["retry", "a status that is no list", { statuses: "FAILED" }, "statuses"],
    ["test", "no address", {}, "email"],
    ["test", "an address that is none", { email: "ada" }, "email"],
    ["test", "an unknown variant", { email: "ada@example.com", variant: "z" }, "variant"],
    ["test", "a variant that is no text", { email: "ada@example.com", variant: 1 }, "variant"],
  ])("is refused with a 422: %s with %s", async (what, _, body, field) => {
    const project = await newProject();
    const made = await newCampaign(project);
    const answer = await project.api.post(`/campaigns/${made.id}/${what}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(422);
    expect(answer.body.error.errors.map((fault: { field: string }) => fault.field)).toEqual([field]);
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
    expect(await rowsOf(project, "campaign_runs", "emails", "email_contents")).toBe(0);
  });

  it.each(["[]", '"now"', "7", "{"])("is refused with the body %s", async (body) => {
    const project = await newProject();
    const made = await newCampaign(project);
    for (const what of ["send", "retry", "test"]) {
      const answer = await project.api.post(`/campaigns/${made.id}/${what}`, body);
      expect([400, 422], what).toContain(answer.status);
    }
    expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
    expect(await rowsOf(project, "campaign_runs", "emails")).toBe(0);
  });
});

describe("a name that means nothing here", () => {
  it.each(["scheduledAt", "scheduled_at", "scheduled_for", "sendAt", "send_at"])(
    "does not send at once what %s wanted to be sent later",
    async (field) => {
      const project = await newProject();
      const made = await newCampaign(project);
      const answer = await project.api.post(`/campaigns/${made.id}/send`, { [field]: "2090-01-01T09:00:00Z" });
      expectInvalid(answer, field, "custom");
      expect(answer.body.error.errors[0].message).toContain("scheduledFor");
      expect((await project.api.get(`/campaigns/${made.id}`)).body).toEqual(made);
    },
  );

  it("in a variant or a canary is named", async () => {
    const project = await newProject();
    const variants = [
      { name: "a", weight: 1 },
      { name: "b", weight: 1, replyTo: "ada@example.com" },
    ];
    const fields = { variants, canary: { percent: 5, holdMinutes: 10, maxBouncerate: 1 } };
    const made = await project.api.post("/campaigns", {
      ...{ name: "News", subject: "News", body: "<p>Hi</p>", from: `news@${project.domain}`, audienceType: "ALL" },
      ...fields,
    });
    const warnings = [
      { field: "variants.1.replyTo", message: expect.stringContaining("ignored") },
      { field: "canary.maxBouncerate", message: expect.stringContaining("Did you mean maxBounceRate?") },
    ];
    expect([made.status, made.body.warnings]).toEqual([201, warnings]);
    const changed = await putCampaign(project, made.body.data.id, fields);
    expect([changed.status, changed.body.warnings]).toEqual([200, warnings]);
  });
});
