import { describe, expect, it } from "vitest";
import { bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";

describe("/suppressions", () => {
  it("lists by address, page by page, with the total on the first", async () => {
    const project = await newProject();
    for (const name of ["cyd", "ada", "bob"]) await project.api.post("/suppressions", { email: `${name}@example.com` });
    const first = await project.api.get("/suppressions?limit=2");
    expect(first.body).toMatchObject({ hasMore: true, total: 3 });
    const second = await project.api.get(`/suppressions?limit=2&cursor=${first.body.cursor}`);
    expect(second.body).toMatchObject({ hasMore: false, total: 0, cursor: "" });
    const all = [...first.body.data, ...second.body.data].map(({ email }) => email);
    expect(all).toEqual(["ada@example.com", "bob@example.com", "cyd@example.com"]);
  });

  it("keeps mail of any type from an address until it is removed", async () => {
    const project = await newProject();
    const added = await project.api.post("/suppressions", { email: " Ada@Example.com ", reason: "complaint" });
    expect(added.status).toBe(201);
    expect(added.body).toEqual({ email: "ada@example.com", reason: "complaint", createdAt: expect.any(String) });
    expect((await project.api.send()).body.data.emails[0].status).toBe("SUPPRESSED");
    const removed = await call("DELETE", "/suppressions/ADA%40example.com", undefined, bearer(project.keys.secret));
    expect(removed.status).toBe(204);
    expect((await project.api.send()).body.data.emails[0].status).toBe("QUEUED");
  });

  it("keeps the reason and time of an address that is there", async () => {
    const project = await newProject();
    const first = await project.api.post("/suppressions", { email: "ada@example.com", reason: "bounce" });
    const again = await project.api.post("/suppressions", { email: "ada@example.com" });
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  it("belongs to a project", async () => {
    const [one, other] = [await newProject(), await newProject()];
    await one.api.post("/suppressions", { email: "ada@example.com" });
    expect((await other.api.get("/suppressions")).body.data).toEqual([]);
    const removed = await call("DELETE", "/suppressions/ada@example.com", undefined, bearer(other.keys.secret));
    expectRefusal(removed, 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "suppression", id: "ada@example.com" },
    });
  });

  it("shows no address whose contact was erased, and forgets one all the same", async () => {
    const project = await newProject();
    const erase = async () => {
      const { body } = await project.api.post("/contacts", { email: "ada@example.com", subscribed: true });
      await project.api.post("/suppressions", { email: "ada@example.com" });
      expect((await project.api.delete(`/contacts/${body.id}`)).status).toBe(204);
    };
    await erase();
    expect((await project.api.get("/suppressions")).body).toMatchObject({ data: [], total: 0 });
    expect((await project.api.delete("/suppressions/Ada@example.com")).status).toBe(204);
    expectRefusal(await project.api.delete("/suppressions/ada@example.com"), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "suppression", id: "ada@example.com" },
    });
    expect((await project.api.send()).body.data.emails[0].status).toBe("QUEUED");
  });

  it.each([
    [{ email: "nope" }, "email", "invalid_string"],
    [{}, "email", "required"],
    [{ email: "a@b.co", reason: "why" }, "reason", "invalid_enum_value"],
  ])("refuses %j", async (body, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/suppressions", body), field, code);
  });
});

describe("/suppressions/bulk", () => {
  const listOf = async (project: Awaited<ReturnType<typeof newProject>>) =>
    (await project.api.get("/suppressions?limit=100")).body.data;

  it("brings a list along, with reasons and times, and counts what was there", async () => {
    const project = await newProject();
    const { body: ada } = await project.api.post("/suppressions", { email: "ada@example.com", reason: "complaint" });
    const added = await project.api.post("/suppressions/bulk", {
      suppressions: [
        { email: "Bob@Example.com", reason: "bounce", createdAt: "2025-03-01T10:00:00+01:00" },
        { email: "cyd@example.com", reason: "unsubscribe", createdAt: "2999-01-01T00:00:00Z" },
        { email: "dan@example.com" },
        { email: "bob@example.com", reason: "manual" },
        { email: "ada@example.com", reason: "manual", createdAt: "2020-01-01T00:00:00Z" },
      ],
    });
    expect([added.status, added.body]).toEqual([200, { created: 3, existing: 1 }]);
    const [first, bob, cyd, dan, ...more] = await listOf(project);
    expect([first, bob, more]).toEqual([
      ada,
      { email: "bob@example.com", reason: "bounce", createdAt: "2025-03-01T09:00:00.000Z" },
      [],
    ]);
    expect([cyd.reason, dan.reason]).toEqual(["unsubscribe", "manual"]);
    expect(cyd.createdAt).toBe(dan.createdAt);
    expect(Date.parse(cyd.createdAt)).toBeLessThanOrEqual(Date.now());
  });

  it("stops mail of any type, whatever the reason, and says so again when it is called again", async () => {
    const project = await newProject();
    const reasons = ["bounce", "complaint", "unsubscribe", "manual"];
    const suppressions = reasons.map((reason) => ({ email: `${reason}@example.com`, reason }));
    await project.api.post("/suppressions/bulk", { suppressions });
    for (const { email } of suppressions) {
      expect((await project.api.send({ to: email })).body.data.emails[0].status).toBe("SUPPRESSED");
    }
    const again = suppressions.map(({ email }) => ({ email, reason: "manual" }));
    expect((await project.api.post("/suppressions/bulk", { suppressions: again })).body).toEqual({
      created: 0,
      existing: 4,
    });
    expect((await listOf(project)).map(({ reason }: { reason: string }) => reason)).toEqual(reasons.toSorted());
  });

  it("takes a thousand at once, and no more", async () => {
    const project = await newProject();
    const suppressions = Array.from({ length: 1_001 }, (_, n) => ({ email: `p${n}@example.com` }));
    expectInvalid(await project.api.post("/suppressions/bulk", { suppressions }), "suppressions", "too_big");
    expect(await listOf(project)).toEqual([]);
    const added = await project.api.post("/suppressions/bulk", { suppressions: suppressions.slice(1) });
    expect(added.body).toEqual({ created: 1_000, existing: 0 });
  });

  it("ends no snooze into mail", async () => {
    const project = await newProject();
    const { body: ada } = await project.api.post("/contacts", { email: "ada@example.com", subscribed: true });
    await project.api.post(`/contacts/${ada.id}/snooze`, { duration: "1m" });
    await project.api.post("/suppressions/bulk", { suppressions: [{ email: "ada@example.com" }] });
    expect((await project.api.get(`/contacts/${ada.id}`)).body).toMatchObject({
      subscribed: false,
      snoozedUntil: null,
    });
  });

  it("touches no list of another project", async () => {
    const [one, other] = [await newProject(), await newProject()];
    await one.api.post("/suppressions/bulk", { suppressions: [{ email: "ada@example.com" }] });
    expect(await listOf(other)).toEqual([]);
    const added = await other.api.post("/suppressions/bulk", { suppressions: [{ email: "ada@example.com" }] });
    expect(added.body).toEqual({ created: 1, existing: 0 });
  });

  it.each([
    [{}, "suppressions", "required"],
    [{ suppressions: [] }, "suppressions", "too_small"],
    [{ emails: ["ada@example.com"] }, "emails", "custom"],
    [{ suppressions: [{ email: "ada@example.com" }, { email: "nope" }] }, "suppressions.1.email", "invalid_string"],
    [
      { suppressions: [{ email: "a@b.co", reason: "550 no such user" }] },
      "suppressions.0.reason",
      "invalid_enum_value",
    ],
    [{ suppressions: [{ email: "a@b.co", createdAt: "yesterday" }] }, "suppressions.0.createdAt", "invalid_string"],
    [{ suppressions: [{ email: "a@b.co", created: 1443651141 }] }, "suppressions.0.created", "custom"],
  ])("refuses %j, all of it", async (body, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/suppressions/bulk", body), field, code);
    expect(await listOf(project)).toEqual([]);
  });
});
