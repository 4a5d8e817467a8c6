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
