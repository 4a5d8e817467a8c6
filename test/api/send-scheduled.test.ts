import { describe, expect, it } from "vitest";
import { admin, bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { emailIds, emailIn } from "../support/send-and-wait";

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

describe("scheduledAt of POST /v1/send", () => {
  it("keeps the mail QUEUED, and its record says until when", async () => {
    const project = await newProject();
    const scheduledAt = inDays(29);
    const [id = ""] = emailIds(await project.api.send({ scheduledAt }));
    expect((await project.api.get(`/emails/${id}`)).body).toMatchObject({
      status: "QUEUED",
      scheduledAt,
      sentAt: null,
    });
  });

  it("takes a time in another zone", async () => {
    const project = await newProject();
    const [id = ""] = emailIds(await project.api.send({ scheduledAt: inDays(1).replace("Z", "+02:00") }));
    const { scheduledAt } = (await project.api.get(`/emails/${id}`)).body;
    expect(Date.parse(scheduledAt)).toBeLessThan(Date.now() + dayMs);
  });

  it.each([
    ["a past time", inDays(-1)],
    ["null", null],
  ])("sends at once for %s", async (_, scheduledAt) => {
    const project = await newProject();
    const [id = ""] = emailIds(await project.api.send({ scheduledAt }));
    expect(await emailIn(project, id, "DELIVERED")).toMatchObject({ scheduledAt: null });
  });

  it.each([
    ["more than 30 days ahead", inDays(31), "too_big"],
    ["no time", "tomorrow", "invalid_string"],
    ["a time without a zone", "2099-01-01T00:00:00", "invalid_string"],
    ["a number", 5, "invalid_type"],
  ])("refuses %s, without an effect", async (_, scheduledAt, code) => {
    const project = await newProject();
    expectInvalid(await project.api.send({ scheduledAt }), "scheduledAt", code);
    expect((await project.api.get("/contacts")).body.data).toEqual([]);
  });
});

describe("DELETE /emails/{id}", () => {
  it("answers with the record, CANCELLED, and a second one is 409", async () => {
    const project = await newProject();
    const [id = ""] = emailIds(await project.api.send({ scheduledAt: inDays(1) }));
    const before = (await project.api.get(`/emails/${id}`)).body;
    const { events: _, ...record } = before;
    const { status, body } = await project.api.delete(`/emails/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...record, status: "CANCELLED", error: expect.any(String) });
    expectRefusal(await project.api.delete(`/emails/${id}`), 409, "CONFLICT");
  });

  it("refuses what is sent, what is another project's, and other keys", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const [id = ""] = emailIds(await project.api.send());
    await emailIn(project, id, "DELIVERED");
    expectRefusal(await project.api.delete(`/emails/${id}`), 409, "CONFLICT");
    expectRefusal(await other.api.delete(`/emails/${id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "email", id },
    });
    const withPublicKey = call("DELETE", `/emails/${id}`, undefined, bearer(project.keys.public));
    expectRefusal(await withPublicKey, 401, "INVALID_API_KEY");
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true, disabledReason: "Test" });
    expectRefusal(await project.api.delete(`/emails/${id}`), 403, "PROJECT_DISABLED");
  });
});

it("does not delete a domain with scheduled mail, and says which mail", async () => {
  const project = await newProject();
  const [id = ""] = emailIds(await project.api.send({ scheduledAt: inDays(1), subject: "Soon" }));
  const [domain] = (await project.api.get(`/domains/project/${project.id}`)).body;
  expectRefusal(await project.api.delete(`/domains/${domain.id}`), 409, "CONFLICT", {
    details: { domain: project.domain, usedBy: [{ type: "email", id, name: "Soon" }] },
  });
  await project.api.delete(`/emails/${id}`);
  expect((await project.api.delete(`/domains/${domain.id}`)).status).toBe(204);
});

describe("GET /emails", () => {
  const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id);

  it("filters by the address, as it is written now or was before", async () => {
    const project = await newProject();
    const [ada = ""] = emailIds(await project.api.send({ to: "ada@example.com" }));
    emailIds(await project.api.send({ to: "bob@example.com" }));
    const search = "/emails?to=Ada@Example.com";
    expect((await project.api.get(search)).body).toMatchObject({ total: 1, hasMore: false });
    const { contactId } = (await project.api.get(`/emails/${ada}`)).body;
    expect((await project.api.patch(`/contacts/${contactId}`, { email: "countess@example.com" })).status).toBe(200);
    expect(ids(await project.api.get(search))).toEqual([ada]);
    expect(ids(await project.api.get("/emails?to=countess@example.com"))).toEqual([]);
    expectInvalid(await project.api.get("/emails?to=nope"), "to", "invalid_string");
  });

  it("filters by the time of creation, both ends included, and goes on by the cursor", async () => {
    const project = await newProject();
    const sent = [...emailIds(await project.api.send({ to: ["a@example.com", "b@example.com"] }))].reverse();
    const { createdAt } = (await project.api.get(`/emails/${sent[0]}`)).body;
    const [before, after] = [-1, 1].map((ms) => new Date(Date.parse(createdAt) + ms).toISOString());
    const range = `startDate=${createdAt}&endDate=${createdAt}`;
    const first = await project.api.get(`/emails?${range}&limit=1`);
    expect(first.body).toMatchObject({ total: 2, hasMore: true });
    const second = await project.api.get(`/emails?${range}&limit=1&cursor=${first.body.cursor}`);
    expect([...ids(first), ...ids(second)]).toEqual(sent);
    expect(ids(await project.api.get(`/emails?endDate=${before}`))).toEqual([]);
    expect(ids(await project.api.get(`/emails?startDate=${after}`))).toEqual([]);
    expectInvalid(await project.api.get("/emails?startDate=soon"), "startDate", "invalid_string");
    const reversed = `/emails?startDate=${after}&endDate=${before}`;
    expectInvalid(await project.api.get(reversed), "endDate", "custom");
  });
});
