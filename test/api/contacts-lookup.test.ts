import { describe, expect, it } from "vitest";
import { effects } from "../support/effects";
import { admin, newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `r${n}@example.com`);

describe("POST /contacts/lookup", () => {
  it("tells which addresses are contacts, each string once, as it was sent and in that order", async () => {
    const project = await newProject();
    for (const name of ["ada", "bob"]) await project.api.post("/contacts", { email: `${name}@example.com` });
    const before = await effects(project);
    const emails = [
      "Cyd@Example.com",
      " ada@example.com",
      "BOB@example.com",
      "ada@example.com",
      "ada@example.com",
      "d@b.co",
    ];
    const answer = await project.api.post("/contacts/lookup", { emails });
    expect([answer.status, answer.body]).toEqual([
      200,
      { found: [" ada@example.com", "BOB@example.com", "ada@example.com"], notFound: ["Cyd@Example.com", "d@b.co"] },
    ]);
    expect(await effects(project)).toEqual(before);
  });

  it("adds the contacts when they are asked for, each once", async () => {
    const project = await newProject();
    const contacts = [];
    for (const name of ["ada", "bob"]) {
      const { body } = await project.api.post("/contacts", { email: `${name}@example.com`, data: { name } });
      const { _meta, ...contact } = body;
      contacts.unshift(contact);
    }
    const emails = ["bob@example.com", "Ada@example.com", "ada@example.com", "cyd@example.com"];
    const { status, body } = await project.api.post("/contacts/lookup?expand=contacts", { emails });
    expect(status).toBe(200);
    expect(body).toEqual({ found: emails.slice(0, 3), notFound: ["cyd@example.com"], contacts });
    const none = await project.api.post("/contacts/lookup?expand=contacts", { emails: ["cyd@example.com"] });
    expect(none.body).toEqual({ found: [], notFound: ["cyd@example.com"], contacts: [] });
  });

  it("takes 500 addresses", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "r499@example.com" });
    const { status, body } = await project.api.post("/contacts/lookup", { emails: addresses(500) });
    expect(status).toBe(200);
    expect([body.found, body.notFound]).toEqual([["r499@example.com"], addresses(499)]);
  });

  it("finds no contact of another project", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    await other.api.post("/contacts", { email: "ada@example.com" });
    const { body } = await mine.api.post("/contacts/lookup?expand=contacts", { emails: ["ada@example.com"] });
    expect(body).toEqual({ found: [], notFound: ["ada@example.com"], contacts: [] });
  });

  it("works in a disabled project, as it changes nothing", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com" });
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    const { status, body } = await project.api.post("/contacts/lookup", { emails: ["ada@example.com"] });
    expect([status, body.found]).toEqual([200, ["ada@example.com"]]);
  });

  it.each<[string, unknown, string, string]>([
    ["none", [], "emails", "too_small"],
    ["501", addresses(501), "emails", "too_big"],
    ["no list", "ada@example.com", "emails", "invalid_type"],
    ["nothing", undefined, "emails", "required"],
    ["a string that is no address", ["ada@example.com", "nope"], "emails.1", "invalid_string"],
    ["an empty string", [""], "emails.0", "invalid_string"],
    ["a number", ["a@b.co", "c@d.co", 3], "emails.2", "invalid_type"],
  ])("refuses %s", async (_, emails, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/contacts/lookup", { emails }), field, code);
  });

  it("refuses to expand into what it does not know, and into more than fits in memory", async () => {
    const project = await newProject();
    const emails = addresses(150);
    expectInvalid(await project.api.post("/contacts/lookup?expand=all", { emails }), "expand", "invalid_enum_value");
    await project.db
      .prepare(
        `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
        SELECT ?1 || key, ?1, value, 1, json_object('a', printf('%.60000c', 'x')), 1, 1 FROM json_each(?2)`,
      )
      .bind(project.id, JSON.stringify(emails))
      .run();
    expectInvalid(await project.api.post("/contacts/lookup?expand=contacts", { emails }), "emails", "too_big");
    expect((await project.api.post("/contacts/lookup", { emails })).body.found).toHaveLength(150);
    const fewer = await project.api.post("/contacts/lookup?expand=contacts", { emails: emails.slice(0, 100) });
    expect(fewer.body.contacts).toHaveLength(100);
  });

  it("is 400 when the body is no JSON", async () => {
    const project = await newProject();
    expectRefusal(await project.api.post("/contacts/lookup", "{"), 400, "BAD_REQUEST");
  });
});
