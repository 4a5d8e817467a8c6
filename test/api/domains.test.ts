import { describe, expect, it } from "vitest";
import { admin, bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { emailIds } from "../support/send-and-wait";

/** A name that no other test has. */
const fresh = (ending: string) => `d-${crypto.randomUUID().slice(0, 8)}.${ending}`;

describe("POST /domains", () => {
  it.each(["test", "example", "localhost"])(
    "verifies a name under .%s at once, as nobody else can have it",
    async (ending) => {
      const project = await newProject();
      const domain = fresh(ending);
      const answer = await project.api.post("/domains", { domain });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: expect.stringMatching(uuid),
        domain,
        status: "VERIFIED",
        verified: true,
        records: expect.any(Array),
        lastCheckedAt: null,
        verifiedAt: answer.body.createdAt,
        projectId: project.id,
        createdAt: expect.stringMatching(isoTime),
        updatedAt: answer.body.createdAt,
      });
      emailIds(await project.api.send({ from: `hello@${domain}` }));
    },
  );

  it("leaves any other name PENDING, with the records to create, and no mail goes out from it", async () => {
    const project = await newProject();
    const domain = fresh("com");
    const { status, body } = await project.api.post("/domains", { domain, projectId: project.id });
    expect(status).toBe(201);
    expect(body).toMatchObject({ domain, status: "PENDING", verified: false, verifiedAt: null, projectId: project.id });
    const required = body.records.filter((record: { required: boolean }) => record.required);
    expect(required).toContainEqual({
      purpose: "OWNERSHIP",
      type: "TXT",
      name: expect.stringContaining(domain),
      value: expect.stringMatching(/\S{32,}/),
      required: true,
      status: "PENDING",
    });
    expectRefusal(await project.api.send({ from: `hello@${domain}` }), 403, "INTERNAL_SERVER_ERROR", {
      details: { domain },
    });
  });

  it("keeps a name in lower-case ASCII without the blanks around it", async () => {
    const project = await newProject();
    const name = fresh("test");
    expect((await project.api.post("/domains", { domain: ` Bücher.${name.toUpperCase()} ` })).body.domain).toBe(
      `xn--bcher-kva.${name}`,
    );
    emailIds(await project.api.send({ from: `hello@bücher.${name}` }));
  });

  it("refuses a name that the project has already, in any case", async () => {
    const project = await newProject();
    const domain = fresh("com");
    await project.api.post("/domains", { domain });
    const answer = await project.api.post("/domains", { domain: domain.toUpperCase() });
    expectRefusal(answer, 409, "CONFLICT");
    expect((await project.api.get(`/domains/project/${project.id}`)).body).toHaveLength(2);
  });

  it("refuses a name that is verified in another project, without saying whose it is", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const answer = await mine.api.post("/domains", { domain: other.domain });
    expectRefusal(answer, 409, "CONFLICT");
    expect(JSON.stringify(answer.body)).not.toContain(other.id);
    expect((await mine.api.get(`/domains/project/${mine.id}`)).body).toHaveLength(1);
  });

  it("lets two projects wait for the same name", async () => {
    const domain = fresh("com");
    for (const project of [await newProject(), await newProject()]) {
      expect((await project.api.post("/domains", { domain })).status).toBe(201);
    }
  });

  it("adds a name once when sixteen ask at once", async () => {
    const project = await newProject();
    const domain = fresh("test");
    const answers = await Promise.all(Array.from({ length: 16 }, () => project.api.post("/domains", { domain })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(15).fill(409)]);
  });

  it("finds no other project than the key's", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const answer = await mine.api.post("/domains", { domain: fresh("test"), projectId: other.id });
    expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: { resource: "project", id: other.id } });
    expect((await other.api.get(`/domains/project/${other.id}`)).body).toHaveLength(1);
  });

  it.each([
    "",
    " ",
    "nope",
    "com",
    "test",
    "co.uk",
    "https://acme.test",
    "acme.test/path",
    "acme.test:25",
    "ada@acme.test",
    "*.acme.test",
    "-acme.test",
    "acme-.test",
    "ac me.test",
    "acme..test",
    ".acme.test",
    "a_b.test",
    "127.0.0.1",
    "[::1]",
    "acme.test?x",
    `${"a".repeat(64)}.test`,
    `${"a.".repeat(125)}test`,
    "acme.test\nevil.test",
  ])("refuses what is no registrable host name: %j", async (domain) => {
    const project = await newProject();
    expectInvalid(await project.api.post("/domains", { domain }), "domain", "invalid_string");
    expect((await project.api.get(`/domains/project/${project.id}`)).body).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ["is missing", undefined, "required"],
    ["is null", null, "invalid_type"],
    ["is a number", 42, "invalid_type"],
    ["is a list", ["acme.test"], "invalid_type"],
  ])("refuses a domain that %s", async (_, domain, code) => {
    expectInvalid(await (await newProject()).api.post("/domains", { domain }), "domain", code);
  });
});

describe("GET /domains/project/{projectId}", () => {
  it("lists verified and pending domains, newest first", async () => {
    const project = await newProject();
    const pending = (await project.api.post("/domains", { domain: fresh("com") })).body;
    const { status, body } = await project.api.get(`/domains/project/${project.id}`);
    expect(status).toBe(200);
    expect(body[0]).toEqual(pending);
    expect(body.map((row: { domain: string; status: string }) => [row.domain, row.status])).toEqual([
      [pending.domain, "PENDING"],
      [project.domain, "VERIFIED"],
    ]);
  });

  it("says 404 to the id of another project", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    expectRefusal(await mine.api.get(`/domains/project/${other.id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "project", id: other.id },
    });
  });

  it("can be read in a disabled project, to which nothing can be added", async () => {
    const project = await newProject();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await project.api.get(`/domains/project/${project.id}`)).status).toBe(200);
    expectRefusal(await project.api.post("/domains", { domain: fresh("test") }), 403, "PROJECT_DISABLED");
  });

  it("takes a secret key only", async () => {
    const project = await newProject();
    const path = `/domains/project/${project.id}`;
    expectRefusal(await call("GET", path), 401, "INVALID_API_KEY");
    expectRefusal(await call("GET", path, undefined, bearer(project.keys.public)), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", "/domains", { domain: fresh("test") }), 401, "INVALID_API_KEY");
  });
});
