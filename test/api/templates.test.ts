import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { listTemplates } from "../../src/features/templates/list";
import { templateUsage } from "../../src/features/templates/usage";
import { framed } from "../support/framed";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectLegacy, expectRefusal, isoTime, uuid } from "../support/refusal";
import { emailIds, emailIn } from "../support/send-and-wait";
import { newTemplate, soundTemplate } from "../support/template";
import { World } from "../support/world";

type Fields = Record<string, unknown>;

async function count(project: TestProject, table: "templates" | "template_versions"): Promise<number> {
  const row = await project.db
    .prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`)
    .bind(project.id)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

async function files(project: TestProject): Promise<number> {
  return (await env.BLOBS.list({ prefix: `template/${project.id}/` })).objects.length;
}

/** Every month of the years 2001 to 2010 has 1,000 emails of the template, and as many of each of 250 others. */
async function addTenYears(project: TestProject, templateId: string): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO monthly_usage (project_id, month, template_id, emails)
      WITH RECURSIVE years(y) AS (SELECT 2001 UNION ALL SELECT y + 1 FROM years WHERE y < 2010),
        months(m) AS (SELECT 1 UNION ALL SELECT m + 1 FROM months WHERE m < 12),
        others(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM others WHERE n < 250),
        used(template_id) AS (SELECT ?2 UNION ALL SELECT 'other ' || n FROM others)
      SELECT ?1, printf('%d-%02d', y, m), template_id, 1000 FROM years, months, used`,
    )
    .bind(project.id, templateId)
    .run();
}

/** What would be another text once it is stored, or could not be. */
const unstorable = ["a\0b", "a\ud800", "\udc00a"];

const nowhere = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";
const long = (length: number) => "x".repeat(length);

describe("POST /templates", () => {
  it("makes a template, MARKETING unless told otherwise", async () => {
    const project = await newProject();
    const { status, body } = await project.api.post("/templates", soundTemplate(project));
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      ...soundTemplate(project),
      description: null,
      fromName: null,
      replyTo: null,
      previewText: null,
      type: "MARKETING",
      topicId: null,
      version: 1,
      projectId: project.id,
      createdAt: expect.stringMatching(isoTime),
      updatedAt: body.createdAt,
    });
    expect((await project.api.get(`/templates/${body.id}`)).body).toEqual(body);
  });

  it("keeps every field", async () => {
    const project = await newProject();
    const fields = {
      description: "Note",
      fromName: "Acme",
      replyTo: "Help@Example.com ",
      previewText: "Hi {{ firstName }}",
      type: "HEADLESS",
    };
    const made = await newTemplate(project, { ...fields, from: ` Hello@${project.domain.toUpperCase()}` });
    expect(made).toMatchObject({ ...fields, replyTo: "help@example.com", from: `hello@${project.domain}` });
  });

  it.each<[string, (project: TestProject) => Fields]>([
    ["a name of 100 characters", () => ({ name: long(100) })],
    ["a description of 500", () => ({ description: long(500) })],
    ["a subject of 998", () => ({ subject: long(998) })],
    ["a fromName of 100", () => ({ fromName: long(100) })],
    ["a body of one", () => ({ body: "x" })],
    ["a body of 1,000,000", () => ({ body: long(1_000_000) })],
    ["a body of 65,536 bytes and one more", () => ({ body: long(65_537) })],
    ["a body that is larger in bytes than in characters", () => ({ body: "é".repeat(65_536) })],
    ["null for what may be left out", () => ({ description: null, fromName: null, replyTo: null, type: null })],
    ["empty texts for what may be left out", () => ({ description: "", fromName: "" })],
    ["keys it does not know", () => ({ colour: "red" })],
    ["names beyond ASCII", () => ({ name: "Grüße 🎉", subject: "ÄÖÜ 🎉", fromName: "Zoë" })],
  ])("takes %s", async (_, fields) => {
    const project = await newProject();
    const given = fields(project);
    const made = await newTemplate(project, given);
    const read = (await project.api.get(`/templates/${made.id}`)).body;
    const { warnings, ...template } = made;
    expect(read).toEqual(template);
    expect(warnings !== undefined).toBe("colour" in given);
    for (const [key, value] of Object.entries(given)) {
      if (value && key !== "colour") expect(read[key] === value, key).toBe(true);
    }
  });

  it.each(["name", "subject", "body", "from"])("answers 400 { error } when %s is missing", async (field) => {
    const project = await newProject();
    for (const value of [undefined, null, ""]) {
      const answer = await project.api.post("/templates", { ...soundTemplate(project), [field]: value });
      expectLegacy(answer, [field]);
    }
    expect(await count(project, "templates")).toBe(0);
  });

  it("names every missing field at once, and what was sent in its place", async () => {
    const project = await newProject();
    const answer = await project.api.post("/templates", { name: "Welcome", html: "<p>Hi</p>", form: "a@example.com" });
    expectLegacy(answer, ["subject", "body", "from"]);
    expect(answer.body.errors).toEqual([
      { field: "html", code: "custom", message: "Use body, which is HTML", received: "<p>Hi</p>" },
      { field: "subject", code: "required", message: "Required: the subject line of the mail" },
      { field: "body", code: "required", message: "Required: the HTML of the mail" },
      {
        field: "from",
        code: "required",
        message: expect.stringMatching(
          /^Required: an address of a verified domain.*\. You sent form, probably for from\.$/,
        ),
      },
    ]);
    expect(await count(project, "templates")).toBe(0);
  });

  it("is 400 when the body is no JSON", async () => {
    const project = await newProject();
    expectRefusal(await project.api.post("/templates", "{"), 400, "BAD_REQUEST");
  });

  it.each<[string, Fields, string, string]>([
    ["a name of 101 characters", { name: long(101) }, "name", "too_big"],
    ["a name that is a number", { name: 42 }, "name", "invalid_type"],
    ["a description of 501", { description: long(501) }, "description", "too_big"],
    ["a subject of 999", { subject: long(999) }, "subject", "too_big"],
    ["a subject of two lines", { subject: "a\nb" }, "subject", "invalid_string"],
    ["a body of 1,000,001", { body: long(1_000_001) }, "body", "too_big"],
    ["a body that is an object", { body: {} }, "body", "invalid_type"],
    ["a fromName of 101", { fromName: long(101) }, "fromName", "too_big"],
    ["a fromName of two lines", { fromName: "a\r\nBcc: eve@example.com" }, "fromName", "invalid_string"],
    ["a from that is no address", { from: "nope" }, "from", "invalid_string"],
    ["a from that is an object", { from: { email: "a@b.test" } }, "from", "invalid_type"],
    ["a replyTo that is no address", { replyTo: "nope" }, "replyTo", "invalid_string"],
    ["a type it does not know", { type: "marketing" }, "type", "invalid_enum_value"],
    ["a body that does not parse", { body: "<p>{{ a </p>" }, "body", "custom"],
    ["a subject that does not parse", { subject: "{% if a %}" }, "subject", "custom"],
    ["an unknown filter", { body: "{{ a | shout }}" }, "body", "custom"],
    ["an unknown tag", { body: "{% shout %}" }, "body", "custom"],
    ["a tag that reads files", { body: "{% include 'x' %}" }, "body", "custom"],
  ])("refuses %s", async (_, fields, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/templates", { ...soundTemplate(project), ...fields }), field, code);
    expect([await count(project, "templates"), await count(project, "template_versions")]).toEqual([0, 0]);
    expect(await files(project)).toBe(0);
  });

  it.each(["name", "description", "subject", "body", "fromName"])(
    "refuses a %s with U+0000 or half of a character, which storing would change",
    async (field) => {
      const project = await newProject();
      const made = await newTemplate(project);
      for (const text of unstorable) {
        const given = { ...soundTemplate(project), [field]: text };
        expectInvalid(await project.api.post("/templates", given), field, "invalid_string");
        expectInvalid(await project.api.patch(`/templates/${made.id}`, { [field]: text }), field, "invalid_string");
      }
      expect(await count(project, "template_versions")).toBe(1);
    },
  );

  it("says where in the body the fault is", async () => {
    const project = await newProject();
    const answer = await project.api.post("/templates", { ...soundTemplate(project), body: "<p>\n  {{ a | shout }}" });
    expect(answer.body.error.errors[0].message).toMatch(/shout.*\(line 2, column \d+\)/);
  });

  it("refuses a body over 5 MB before it reads it", async () => {
    const project = await newProject();
    const body = long(5 * 1024 * 1024);
    expect((await project.api.post("/templates", { ...soundTemplate(project), body })).status).toBe(413);
  });

  it.each([
    ["unregistered", "nobody.test"],
    ["another project's", null],
  ])("refuses a sender domain that is %s", async (_, domain) => {
    const [project, other] = [await newProject(), await newProject()];
    const from = `hello@${domain ?? other.domain}`;
    const answer = await project.api.post("/templates", { ...soundTemplate(project), from, body: long(100_000) });
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: domain ?? other.domain },
    });
    expect([await count(project, "templates"), await count(project, "template_versions")]).toEqual([0, 0]);
    await expect.poll(() => files(project)).toBe(0);
  });

  it("refuses a sender domain that is pending", async () => {
    const project = await newProject();
    await project.api.post("/domains", { domain: "acme.com" });
    const answer = await project.api.post("/templates", { ...soundTemplate(project), from: "hello@acme.com" });
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: "acme.com" },
    });
  });
});

describe("GET /templates", () => {
  const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map(({ name }) => name);

  it("is empty at first", async () => {
    const project = await newProject();
    const { status, body } = await project.api.get("/templates");
    expect([status, body]).toEqual([200, { data: [], total: 0, page: 1, pageSize: 20, totalPages: 0 }]);
  });

  it("lists whole templates in pages, newest first", async () => {
    const project = await newProject();
    const made = [];
    for (const name of ["a", "b", "c", "d", "e"]) made.push(await newTemplate(project, { name }));
    await newTemplate(await newProject(), { name: "foreign" });
    const first = await project.api.get("/templates?pageSize=2");
    expect(first.body).toEqual({ data: [made[4], made[3]], total: 5, page: 1, pageSize: 2, totalPages: 3 });
    expect(names(await project.api.get("/templates?pageSize=2&page=3"))).toEqual(["a"]);
    const beyond = await project.api.get("/templates?pageSize=2&page=4");
    expect(beyond.body).toEqual({ data: [], total: 5, page: 4, pageSize: 2, totalPages: 3 });
  });

  it("shows large bodies", async () => {
    const project = await newProject();
    const made = await newTemplate(project, { body: "é".repeat(50_000) });
    expect((await project.api.get("/templates")).body.data).toEqual([made]);
  });

  it("clamps pageSize to 100, and refuses what is no whole number", async () => {
    const { api } = await newProject();
    expect((await api.get("/templates?pageSize=101")).body.pageSize).toBe(100);
    expect((await api.get("/templates?pageSize=100")).body.pageSize).toBe(100);
    expect((await api.get(`/templates?page=${"9".repeat(30)}`)).status).toBe(200);
    for (const query of ["page=0", "page=-1", "page=x", "page=1.5", "pageSize=0", "pageSize="]) {
      expect((await api.get(`/templates?${query}`)).status, query).toBe(422);
    }
  });

  it("sorts by name, createdAt and updatedAt; anything else falls back", async () => {
    const project = await newProject();
    const first = await newTemplate(project, { name: "Zebra" });
    await newTemplate(project, { name: "apple" });
    await newTemplate(project, { name: "Mango" });
    await project.api.patch(`/templates/${first.id}`, { description: "touched" });
    const sorted = async (query: string) => names(await project.api.get(`/templates?${query}`));
    expect(await sorted("sort=name&dir=asc")).toEqual(["apple", "Mango", "Zebra"]);
    expect(await sorted("sort=name")).toEqual(["Zebra", "Mango", "apple"]);
    expect(await sorted("sort=createdAt&dir=asc")).toEqual(["Zebra", "apple", "Mango"]);
    expect(await sorted("sort=updatedAt")).toEqual(["Zebra", "Mango", "apple"]);
    expect(await sorted("sort=colour&dir=sideways")).toEqual(["Mango", "apple", "Zebra"]);
  });

  it.each(["name", "createdAt", "updatedAt"] as const)(
    "turns each page round, and sorts its ids without the bodies: by %s",
    async (sort) => {
      const project = await newProject();
      for (const name of ["a", "b", "c", "d", "e"]) await newTemplate(project, { name, body: long(60_000) });
      const pages = [];
      for (const page of [1, 2, 3]) {
        pages.push(
          names(await project.api.get(`/templates?sort=${sort}&dir=asc&type=MARKETING&pageSize=2&page=${page}`)),
        );
      }
      expect(pages).toEqual([["a", "b"], ["c", "d"], ["e"]]);

      const world = new World();
      const { ctx } = await world.context(project);
      await listTemplates(ctx, { page: 1, pageSize: 2, search: "a", sort, dir: "desc" });
      const plans = await Promise.all(
        world.statements
          .filter(({ sql }) => sql.includes("template_versions"))
          .map(({ sql, values }) =>
            project.db
              .prepare(`EXPLAIN QUERY PLAN ${sql}`)
              .bind(...values)
              .all<{ parent: number; detail: string }>(),
          ),
      );
      expect(plans.length).toBeGreaterThan(0);
      for (const { results } of plans) {
        // The steps beside a sort are those whose columns it carries.
        const sorts = results.filter(({ detail }) => detail.startsWith("USE TEMP B-TREE"));
        const sorted = results.filter((step) => sorts.some(({ parent }) => parent === step.parent));
        expect(sorted.filter(({ detail }) => / v( |$)/.test(detail))).toEqual([]);
      }
    },
  );

  it("filters by type, and refuses one it does not know", async () => {
    const project = await newProject();
    for (const type of ["MARKETING", "TRANSACTIONAL", "HEADLESS"]) await newTemplate(project, { name: type, type });
    const answer = await project.api.get("/templates?type=HEADLESS");
    expect([names(answer), answer.body.total]).toEqual([["HEADLESS"], 1]);
    expectInvalid(await project.api.get("/templates?type=headless"), "type", "invalid_enum_value");
  });

  it.each([
    ["wel", ["Welcome"]],
    ["WELCOME", ["Welcome"]],
    ["grüße", ["Abschied"]],
    ["GRÜßE", ["Abschied"]],
    ["ΣΊΣΥΦΟΣ", ["Greek"]],
    ["note about", ["Greek"]],
    ["100%", ["Percent"]],
    ["_", ["Percent"]],
    ["%", ["Percent"]],
    ["nothing of the kind", []],
    ["", ["Percent", "Greek", "Abschied", "Welcome"]],
  ])("finds %j in name, description and subject", async (search, expected) => {
    const project = await newProject();
    await newTemplate(project, { name: "Welcome", subject: "Hi" });
    await newTemplate(project, { name: "Abschied", subject: "Liebe GRÜSSE und Grüße" });
    await newTemplate(project, { name: "Greek", subject: "Hi", description: "Note about Σίσυφος" });
    await newTemplate(project, { name: "Percent", subject: "Hi", description: "100% of_it" });
    const answer = await project.api.get(`/templates?search=${encodeURIComponent(search)}`);
    expect([names(answer), answer.body.total]).toEqual([expected, expected.length]);
  });

  it("finds what a change brought, and no longer what it took away", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project, { name: "Before", subject: "Old subject" });
    await project.api.patch(`/templates/${id}`, { name: "After", subject: "New subject" });
    expect(names(await project.api.get("/templates?search=after"))).toEqual(["After"]);
    expect(names(await project.api.get("/templates?search=new"))).toEqual(["After"]);
    expect(names(await project.api.get("/templates?search=before"))).toEqual([]);
    expect(names(await project.api.get("/templates?search=old"))).toEqual([]);
  });

  it("takes a search longer than any pattern", async () => {
    const project = await newProject();
    await newTemplate(project, { description: long(400) });
    expect((await project.api.get(`/templates?search=${long(400)}`)).body.total).toBe(1);
    expect((await project.api.get(`/templates?search=${long(401)}`)).body.total).toBe(0);
  });
});

describe("PATCH /templates/{id}", () => {
  it("changes the fields sent and no others", async () => {
    const project = await newProject();
    const made = await newTemplate(project, { description: "Note", fromName: "Acme", replyTo: "a@b.com" });
    for (const change of [
      { name: "Other" },
      { description: null },
      { subject: "Other subject" },
      { body: "<p>Other</p>" },
      { fromName: null },
      { replyTo: null },
      { type: "TRANSACTIONAL" },
      { from: `other@${project.domain}` },
    ]) {
      const before = (await project.api.get(`/templates/${made.id}`)).body;
      const { status, body } = await project.api.patch(`/templates/${made.id}`, change);
      const after = { ...before, ...change, version: before.version + 1, updatedAt: expect.stringMatching(isoTime) };
      expect([status, body]).toEqual([200, after]);
      expect((await project.api.get(`/templates/${made.id}`)).body).toEqual(body);
    }
  });

  it("makes a version for a change of what is sent, and none for anything else", async () => {
    const project = await newProject();
    const { id, subject, body } = await newTemplate(project);
    const path = `/templates/${id}`;
    await project.api.patch(path, { name: "Other", description: "Note" });
    await project.api.patch(path, {});
    await project.api.patch(path, { subject, body, type: "MARKETING" });
    expect(await count(project, "template_versions")).toBe(1);
    await project.api.patch(path, { subject: "Other" });
    await project.api.patch(path, { type: "HEADLESS", body: "Other" });
    expect(await count(project, "template_versions")).toBe(3);
  });

  it("leaves updatedAt alone when nothing changes", async () => {
    const project = await newProject();
    const made = await newTemplate(project);
    expect((await project.api.patch(`/templates/${made.id}`, { name: made.name })).body).toEqual(made);
  });

  it("moves bodies between row and file", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const path = `/templates/${id}`;
    const large = "é".repeat(50_000);
    expect((await project.api.patch(path, { body: large })).body.body === large).toBe(true);
    expect((await project.api.patch(path, { subject: "Other" })).body.body === large).toBe(true);
    // The very same body again: no version, and no file beside the one that is there.
    expect((await project.api.patch(path, { body: large })).body.body === large).toBe(true);
    await expect.poll(() => files(project)).toBe(1);
    expect(await count(project, "template_versions")).toBe(3);
    expect((await project.api.patch(path, { body: "small" })).body.body).toBe("small");
    expect((await project.api.get(path)).body.body).toBe("small");
  });

  it.each<[string, Fields, string, string]>([
    ["an empty name", { name: "" }, "name", "too_small"],
    ["null for a name", { name: null }, "name", "invalid_type"],
    ["a name of 101 characters", { name: long(101) }, "name", "too_big"],
    ["an empty subject", { subject: "" }, "subject", "too_small"],
    ["an empty body", { body: "" }, "body", "too_small"],
    ["a body of 1,000,001", { body: long(1_000_001) }, "body", "too_big"],
    ["a from that is no address", { from: "nope" }, "from", "invalid_string"],
    ["a type it does not know", { type: "marketing" }, "type", "invalid_enum_value"],
    ["a body that does not parse", { body: "{{" }, "body", "custom"],
    ["an unknown filter in the subject", { subject: "{{ a | shout }}" }, "subject", "custom"],
  ])("refuses %s", async (_, change, field, code) => {
    const project = await newProject();
    const made = await newTemplate(project);
    expectInvalid(await project.api.patch(`/templates/${made.id}`, { description: "x", ...change }), field, code);
    expect((await project.api.get(`/templates/${made.id}`)).body).toEqual(made);
  });

  it("takes null for a type as if it were left out, as on creation", async () => {
    const project = await newProject();
    const made = await newTemplate(project, { type: "TRANSACTIONAL" });
    expect((await project.api.patch(`/templates/${made.id}`, { type: null })).body).toEqual(made);
    const { status, body } = await project.api.patch(`/templates/${made.id}`, { type: null, name: "Other" });
    expect([status, body.type, body.name]).toEqual([200, "TRANSACTIONAL", "Other"]);
  });

  it("checks a new from, and does nothing when it may not send", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const made = await newTemplate(project);
    const change = { from: `hello@${other.domain}`, name: "Other", body: long(100_000) };
    const answer = await project.api.patch(`/templates/${made.id}`, change);
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: other.domain },
    });
    expect((await project.api.get(`/templates/${made.id}`)).body).toEqual(made);
    expect(await count(project, "template_versions")).toBe(1);
    await expect.poll(() => files(project)).toBe(0);
  });

  it("keeps sixteen changes that come at once, and refuses none", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const change: Fields = {
      name: "N",
      description: "D",
      subject: "S",
      body: "B",
      fromName: "F",
      replyTo: "reply@example.com",
      type: "HEADLESS",
      from: `other@${project.domain}`,
    };
    const fields = Object.keys(change);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => fields[index % fields.length] ?? "").map((field) =>
        project.api.patch(`/templates/${id}`, { [field]: change[field] }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const [index, { body }] of answers.entries()) {
      const field = fields[index % fields.length] ?? "";
      expect(body[field]).toBe(change[field]);
    }
    expect((await project.api.get(`/templates/${id}`)).body).toMatchObject(change);
    expect((await project.api.get("/templates?search=n%0Ad%0As")).body.total).toBe(1);
  });

  it("lets the last of sixteen changes of the same field win, and refuses none", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const subjects = Array.from({ length: 16 }, (_, index) => `Subject ${index}`);
    const answers = await Promise.all(subjects.map((subject) => project.api.patch(`/templates/${id}`, { subject })));
    expect(answers.map(({ status, body }) => [status, body.subject])).toEqual(
      subjects.map((subject) => [200, subject]),
    );
    const { results } = await project.db
      .prepare("SELECT subject FROM template_versions WHERE template_id = ? ORDER BY number")
      .bind(id)
      .all<{ subject: string }>();
    expect(results).toHaveLength(17);
    const { body: last } = await project.api.get(`/templates/${id}`);
    expect(last.subject).toBe(results.at(-1)?.subject);
    const latest = answers
      .map(({ body }) => body.updatedAt)
      .toSorted()
      .at(-1);
    expect(last.updatedAt).toBe(latest);
  });
});

describe("DELETE /templates/{id}", () => {
  it("removes the template, once", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const answer = await project.api.delete(`/templates/${id}`);
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expectRefusal(await project.api.get(`/templates/${id}`), 404, "TEMPLATE_NOT_FOUND", {
      details: { resource: "template", id },
    });
    expect((await project.api.delete(`/templates/${id}`)).status).toBe(404);
    expect((await project.api.get("/templates")).body.total).toBe(0);
  });
});

describe("the sender domain of a template", () => {
  it("cannot be removed while the template is there", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const [domain] = (await project.api.get(`/domains/project/${project.id}`)).body;
    expect((await project.api.delete(`/domains/${domain.id}`)).status).toBe(409);
    await project.api.delete(`/templates/${id}`);
    expect((await project.api.delete(`/domains/${domain.id}`)).status).toBe(204);
  });
});

describe("POST /templates/{id}/duplicate", () => {
  it("makes a copy that goes its own way", async () => {
    const project = await newProject();
    const made = await newTemplate(project, { description: "Note", fromName: "Acme", type: "HEADLESS" });
    const { status, body: copy } = await project.api.post(`/templates/${made.id}/duplicate`);
    expect(status).toBe(201);
    expect(copy).toEqual({
      ...made,
      id: expect.stringMatching(uuid),
      name: "Welcome (Copy)",
      createdAt: expect.stringMatching(isoTime),
      updatedAt: expect.stringMatching(isoTime),
    });
    expect(copy.id).not.toBe(made.id);
    await project.api.patch(`/templates/${copy.id}`, { subject: "Other" });
    expect((await project.api.get(`/templates/${made.id}`)).body).toEqual(made);
    await project.api.delete(`/templates/${made.id}`);
    expect((await project.api.get(`/templates/${copy.id}`)).body.subject).toBe("Other");
  });

  it.each([
    [long(93), `${long(93)} (Copy)`],
    [long(94), `${long(93)} (Copy)`],
    [long(100), `${long(93)} (Copy)`],
    [`${long(92)}🎉🎉`, `${long(92)} (Copy)`],
  ])("cuts the name to the limit: %s", async (name, expected) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { name });
    expect((await project.api.post(`/templates/${id}/duplicate`)).body.name).toBe(expected);
  });

  it("copies a large body", async () => {
    const project = await newProject();
    const made = await newTemplate(project, { body: "é".repeat(50_000) });
    const { body: copy } = await project.api.post(`/templates/${made.id}/duplicate`);
    await project.api.delete(`/templates/${made.id}`);
    expect((await project.api.get(`/templates/${copy.id}`)).body.body === made.body).toBe(true);
  });
});

describe("GET /templates/{id}/usage", () => {
  it("counts the emails that were sent with any of its versions", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project, { type: "TRANSACTIONAL" });
    const unused = { campaigns: [], workflowSteps: [], emailsSent: 0 };
    expect((await project.api.get(`/templates/${id}/usage`)).body).toEqual(unused);
    const send = (to: unknown) => project.api.send({ template: id, to, subject: undefined, body: undefined });
    for (const email of emailIds(await send(["a@example.com", "b@example.com"]))) {
      await emailIn(project, email, "DELIVERED");
    }
    await project.api.patch(`/templates/${id}`, { subject: "Other" });
    for (const email of emailIds(await send("c@example.com"))) await emailIn(project, email, "DELIVERED");
    for (const email of emailIds(await send("reject@simulator.test"))) await emailIn(project, email, "FAILED");
    expect((await project.api.get(`/templates/${id}/usage`)).body).toEqual({ ...unused, emailsSent: 3 });
  });
});

describe("GET /templates/{id}/usage of a template that sent much", () => {
  it("is exact, and reads little more than a row for each month, whatever else was sent in it", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    await addTenYears(project, id);
    const { body } = await project.api.get(`/templates/${id}/usage`);
    expect(body).toEqual({ campaigns: [], workflowSteps: [], emailsSent: 120_000 });

    const world = new World();
    const { ctx } = await world.context(project);
    await templateUsage(ctx, readId(id));
    const rowsRead = await Promise.all(
      world.statements.map(async ({ sql, values }) => {
        const { meta } = await project.db
          .prepare(sql)
          .bind(...values)
          .all();
        return meta.rows_read;
      }),
    );
    expect(Math.max(...rowsRead)).toBeLessThan(5 * 120);
  });
});

describe("POST /templates/{id}/preview", () => {
  it.each(["subject", "body"])("names the part that does too much: %s", async (part) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { [part]: "{% for n in (1..1000000) %}{% endfor %}x" });
    const { status, body } = await project.api.post(`/templates/${id}/preview`, {});
    expect([status, body.error.errors[0].field]).toEqual([422, part]);
  });

  const links = { unsubscribe: "https://petrel.example/unsubscribe/preview" };

  it("shows the mail, and what it has no values for", async () => {
    const project = await newProject();
    const body = '<p>Hi {{ firstName ?? "there" }}, {{ plan }}</p>';
    const { id } = await newTemplate(project, { subject: "Hi {{ firstName }}", body, type: "TRANSACTIONAL" });
    const empty = await project.api.post(`/templates/${id}/preview`, {});
    expect(empty.status).toBe(200);
    expect(empty.body).toEqual({
      subject: "Hi ",
      html: framed("<p>Hi there, </p>"),
      text: "Hi there,",
      missing: ["firstName", "plan"],
    });
    const data = { firstName: { value: "Ada", persistent: false }, plan: "<b>pro</b>" };
    expect((await project.api.post(`/templates/${id}/preview`, { data })).body).toEqual({
      subject: "Hi Ada",
      html: framed("<p>Hi Ada, &lt;b&gt;pro&lt;/b&gt;</p>"),
      text: "Hi Ada, <b>pro</b>",
      missing: [],
    });
  });

  it("takes no body at all for an empty one, and is 400 for one that is no JSON", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const path = `/templates/${id}/preview`;
    const { status, body } = await project.api.post(path);
    expect([status, body]).toEqual([200, (await project.api.post(path, {})).body]);
    expect((await project.api.post(path, "")).status).toBe(200);
    expectRefusal(await project.api.post(path, "{"), 400, "BAD_REQUEST");
    expect((await project.api.post(path, [])).status).toBe(422);
  });

  it("fills in a contact, with data laid over theirs, and changes nobody", async () => {
    const project = await newProject();
    const { body: contact } = await project.api.post("/contacts", {
      email: "ada@example.com",
      data: { plan: "pro", city: "Rome" },
    });
    const { id } = await newTemplate(project, { body: "{{ email }} {{ plan }} {{ city }}", type: "TRANSACTIONAL" });
    const asked = { contactId: contact.id, data: { city: "Oslo", firstName: "Ada" } };
    const { body } = await project.api.post(`/templates/${id}/preview`, asked);
    expect(body).toMatchObject({ html: framed("ada@example.com pro Oslo"), missing: [] });
    expect((await project.api.get(`/contacts/${contact.id}`)).body).toMatchObject({ data: contact.data });
    expect((await project.api.get(`/templates/${id}/usage`)).body.emailsSent).toBe(0);
  });

  it("has the footer of a marketing mail, whose links lead nowhere", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const { body } = await project.api.post(`/templates/${id}/preview`, {});
    expect(body.html).toContain(`href="${links.unsubscribe}"`);
    expect(body.text).toContain(links.unsubscribe);
    expect((await call("POST", "/unsubscribe/preview")).status).toBe(404);
  });

  it("works in a disabled project, as nothing changes by it", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await project.api.post(`/templates/${id}/preview`, {})).status).toBe(200);
    expect((await project.api.get(`/templates/${id}`)).status).toBe(200);
    for (const answer of [
      await project.api.post("/templates", soundTemplate(project)),
      await project.api.patch(`/templates/${id}`, { name: "Other" }),
      await project.api.post(`/templates/${id}/duplicate`),
      await project.api.delete(`/templates/${id}`),
    ]) {
      expectRefusal(answer, 403, "PROJECT_DISABLED");
    }
  });

  it("is 404 for a contact that is not there, or another project's", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { body: foreign } = await other.api.post("/contacts", { email: "ada@example.com" });
    const { id } = await newTemplate(project);
    for (const contactId of [nowhere, "nope", foreign.id]) {
      const answer = await project.api.post(`/templates/${id}/preview`, { contactId });
      expectRefusal(answer, 404, "CONTACT_NOT_FOUND", { details: { resource: "contact", id: contactId } });
    }
  });

  it("says why a template cannot be rendered", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project, { body: "{% for i in (1..100000000) %}x{% endfor %}" });
    expectInvalid(await project.api.post(`/templates/${id}/preview`, {}), "body", "custom");
    expectInvalid(await project.api.post(`/templates/${id}/preview`, { data: [] }), "data", "invalid_type");
  });
});

describe("every operation on one template", () => {
  const operations: [string, (project: TestProject, id: string) => Promise<Answer>][] = [
    ["GET", ({ api }, id) => api.get(`/templates/${id}`)],
    ["PATCH", ({ api }, id) => api.patch(`/templates/${id}`, { name: "Mine" })],
    ["DELETE", ({ api }, id) => api.delete(`/templates/${id}`)],
    ["duplicate", ({ api }, id) => api.post(`/templates/${id}/duplicate`)],
    ["usage", ({ api }, id) => api.get(`/templates/${id}/usage`)],
    ["preview", ({ api }, id) => api.post(`/templates/${id}/preview`, {})],
  ];

  it.each(operations)("%s: 404 for one that is not there, or another project's", async (_, operation) => {
    const [project, other] = [await newProject(), await newProject()];
    const foreign = await newTemplate(other);
    for (const id of [nowhere, "nope", foreign.id]) {
      const answer = await operation(project, id);
      expectRefusal(answer as Parameters<typeof expectRefusal>[0], 404, "TEMPLATE_NOT_FOUND", {
        details: { resource: "template", id },
      });
    }
    expect((await other.api.get(`/templates/${foreign.id}`)).body).toEqual(foreign);
    expect(await count(project, "templates")).toBe(0);
  });

  it("takes a secret key only", async () => {
    const project = await newProject();
    expectRefusal(await call("GET", "/templates"), 401, "INVALID_API_KEY");
    expectRefusal(await call("GET", "/templates", undefined, bearer(project.keys.public)), 401, "INVALID_API_KEY");
  });
});
