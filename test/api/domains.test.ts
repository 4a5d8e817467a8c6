import { describe, expect, it } from "vitest";
import { useDns } from "../support/dns";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { emailIds } from "../support/send-and-wait";

const world = useDns();

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
      details: { reason: "domain_not_verified", domain },
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

  it.each(["gmail.com", "GMail.com", "mail.gmail.com", "outlook.com", "yahoo.co.uk", "proton.me", "gmx.de", "qq.com"])(
    "refuses the domain of a public mail provider: %s",
    async (domain) => {
      const project = await newProject();
      expectInvalid(await project.api.post("/domains", { domain }), "domain", "custom");
      expect((await project.api.get(`/domains/project/${project.id}`)).body).toHaveLength(1);
    },
  );

  it("has at most twenty in a project that wait, and those that are verified do not count", async () => {
    const project = await newProject();
    const add = (domain = fresh("com")) => project.api.post("/domains", { domain });
    const first = await add();
    for (let count = 1; count < 18; count++) await add();
    const answers = await Promise.all(Array.from({ length: 4 }, () => add()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
    expectRefusal(await add(), 409, "CONFLICT");
    expectRefusal(await add(first.body.domain), 409, "CONFLICT");
    expect((await project.api.get(`/domains/project/${project.id}`)).body).toHaveLength(21);
    expect((await (await newProject()).api.post("/domains", { domain: fresh("com") })).status).toBe(201);
    await project.api.delete(`/domains/${first.body.id}`);
    expect((await add()).status).toBe(201);
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

interface DnsRecord {
  purpose: string;
  type: string;
  name: string;
  value: string;
  required: boolean;
  status: string;
}

async function addPending(project: TestProject, domain = fresh("com")) {
  const { status, body } = await project.api.post("/domains", { domain });
  expect(status).toBe(201);
  return body;
}

const required = (records: DnsRecord[]) => records.filter((record) => record.required);
const statuses = (records: DnsRecord[]) => records.map(({ purpose, status }) => `${purpose} ${status}`);

describe("GET /domains/{id}/verify", () => {
  it("verifies a domain whose required records are there, and mail goes out from it", async () => {
    const project = await newProject();
    const added = await addPending(project);
    world.dns.publish(required(added.records));
    const { status, body } = await project.api.get(`/domains/${added.id}/verify`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...added,
      status: "VERIFIED",
      verified: true,
      records: added.records.map((record: DnsRecord) =>
        record.required ? { ...record, status: "FOUND", found: [record.value] } : record,
      ),
      lastCheckedAt: expect.stringMatching(isoTime),
      verifiedAt: body.lastCheckedAt,
      updatedAt: body.lastCheckedAt,
    });
    emailIds(await project.api.send({ from: `hello@${added.domain}` }));
    expect((await project.api.get(`/domains/project/${project.id}`)).body[0]).toEqual(body);
  });

  it("finds every kind of record, and lists advice without asking for it", async () => {
    const project = await newProject();
    const added = await addPending(project);
    expect(added.records.map(({ purpose, required }: DnsRecord) => [purpose, required])).toEqual([
      ["OWNERSHIP", true],
      ["DKIM", false],
      ["SPF", false],
      ["RETURN_PATH", false],
      ["DMARC", false],
    ]);
    world.dns.publish(added.records);
    const { body } = await project.api.get(`/domains/${added.id}/verify`);
    expect(new Set(body.records.map(({ status }: DnsRecord) => status))).toEqual(new Set(["FOUND"]));
  });

  it("says of each record what was found instead, and the domain stays PENDING", async () => {
    const project = await newProject();
    const added = await addPending(project);
    const [ownership] = added.records;
    world.dns.publish([{ ...ownership, value: "petrel-verification=other" }]);
    const { status, body } = await project.api.get(`/domains/${added.id}/verify`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "PENDING", verified: false, verifiedAt: null });
    expect(body.records[0]).toEqual({ ...ownership, status: "MISMATCH", found: ["petrel-verification=other"] });
    expect(body.lastCheckedAt).toMatch(isoTime);
    expectRefusal(await project.api.send({ from: `hello@${added.domain}` }), 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: added.domain },
    });
  });

  it("looks afresh each time, whatever DNS lets others remember", async () => {
    const project = await newProject();
    const added = await addPending(project);
    world.dns.ttlSeconds = 3_600;
    world.dns.publish([{ ...added.records[0], value: "petrel-verification=other" }]);
    expect(statuses((await project.api.get(`/domains/${added.id}/verify`)).body.records)[0]).toBe("OWNERSHIP MISMATCH");
    world.dns.records = {};
    world.dns.publish(required(added.records));
    expect((await project.api.get(`/domains/${added.id}/verify`)).body.status).toBe("VERIFIED");
  });

  it("keeps a verified domain that fails a check", async () => {
    const project = await newProject();
    const added = await addPending(project);
    world.dns.publish(required(added.records));
    const { verifiedAt } = (await project.api.get(`/domains/${added.id}/verify`)).body;
    world.dns.records = {};
    const { body } = await project.api.get(`/domains/${added.id}/verify`);
    expect(body).toMatchObject({ status: "VERIFIED", verified: true, verifiedAt });
    expect(statuses(body.records)[0]).toBe("OWNERSHIP PENDING");
  });

  it("needs no DNS for a reserved name", async () => {
    const project = await newProject();
    const [{ id }] = (await project.api.get(`/domains/project/${project.id}`)).body;
    world.dns.goDown();
    const { status, body } = await project.api.get(`/domains/${id}/verify`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "VERIFIED", lastCheckedAt: expect.stringMatching(isoTime) });
    expect(world.dns.asked).toEqual([]);
  });

  it("says 503 and changes nothing when DNS cannot tell", async () => {
    const project = await newProject();
    const added = await addPending(project);
    world.dns.goDown("server failure");
    const answer = await project.api.get(`/domains/${added.id}/verify`);
    expectRefusal(answer, 503, "EXTERNAL_SERVICE_ERROR");
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    expect((await project.api.get(`/domains/project/${project.id}`)).body[0]).toEqual(added);
  });

  it("does not wait for advice that cannot be found out", async () => {
    const project = await newProject();
    const added = await addPending(project);
    world.dns.publish(required(added.records));
    for (const { name, required } of added.records) if (!required) world.dns.broken.add(name);
    expect((await project.api.get(`/domains/${added.id}/verify`)).body.status).toBe("VERIFIED");
  });

  it("says 409 when another project has verified the name, and the domain stays PENDING", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const domain = fresh("com");
    const [first, second] = [await addPending(other, domain), await addPending(mine, domain)];
    world.dns.publish([...required(first.records), ...required(second.records)]);
    expect((await other.api.get(`/domains/${first.id}/verify`)).body.status).toBe("VERIFIED");
    const answer = await mine.api.get(`/domains/${second.id}/verify`);
    expectRefusal(answer, 409, "CONFLICT");
    expect(JSON.stringify(answer.body)).not.toContain(other.id);
    const [row] = (await mine.api.get(`/domains/project/${mine.id}`)).body;
    expect([row.status, statuses(row.records)[0]]).toEqual(["PENDING", "OWNERSHIP FOUND"]);

    // Once it is removed there, it can be verified here.
    expect((await other.api.delete(`/domains/${first.id}`)).status).toBe(204);
    expect((await mine.api.get(`/domains/${second.id}/verify`)).body.status).toBe("VERIFIED");
  });

  it("refuses to add a name that another project has verified by DNS", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const added = await addPending(other);
    world.dns.publish(required(added.records));
    await other.api.get(`/domains/${added.id}/verify`);
    expectRefusal(await mine.api.post("/domains", { domain: added.domain }), 409, "CONFLICT");
  });

  it("works in a disabled project", async () => {
    const project = await newProject();
    const added = await addPending(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await project.api.get(`/domains/${added.id}/verify`)).status).toBe(200);
  });
});

describe("DELETE /domains/{id}", () => {
  it("removes a domain, from which no mail goes out any more", async () => {
    const project = await newProject();
    const [{ id }] = (await project.api.get(`/domains/project/${project.id}`)).body;
    const answer = await project.api.delete(`/domains/${id}`);
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect((await project.api.get(`/domains/project/${project.id}`)).body).toEqual([]);
    expectRefusal(await project.api.send(), 403, "INTERNAL_SERVER_ERROR", {
      details: { reason: "domain_not_verified", domain: project.domain },
    });
    expectRefusal(await project.api.delete(`/domains/${id}`), 404, "DOMAIN_NOT_FOUND", {
      details: { resource: "domain", id },
    });
  });

  it("makes the name free for another project", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const [{ id }] = (await other.api.get(`/domains/project/${other.id}`)).body;
    expectRefusal(await mine.api.post("/domains", { domain: other.domain }), 409, "CONFLICT");
    await other.api.delete(`/domains/${id}`);
    expect((await mine.api.post("/domains", { domain: other.domain })).body.status).toBe("VERIFIED");
  });

  it("refuses while a template sends from it, and says which", async () => {
    const project = await newProject();
    const [{ id }] = (await project.api.get(`/domains/project/${project.id}`)).body;
    const template = { name: "Welcome", subject: "Hi", body: "<p>Hi</p>", from: `hello@${project.domain}` };
    const created = await project.api.post("/templates", template);
    expect(created.status).toBe(201);
    expectRefusal(await project.api.delete(`/domains/${id}`), 409, "CONFLICT", {
      details: { domain: project.domain, usedBy: [{ type: "template", id: created.body.id, name: "Welcome" }] },
    });
    emailIds(await project.api.send());
    await project.api.delete(`/templates/${created.body.id}`);
    expect((await project.api.delete(`/domains/${id}`)).status).toBe(204);
  });

  it("does not mind templates of a domain above, below, or in another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const [{ id }] = (await project.api.get(`/domains/project/${project.id}`)).body;
    await project.api.post("/domains", { domain: `mail.${project.domain}` });
    const template = { name: "Welcome", subject: "Hi", body: "<p>Hi</p>" };
    await project.api.post("/templates", { ...template, from: `hello@mail.${project.domain}` });
    await other.api.post("/templates", { ...template, from: `hello@${other.domain}` });
    expect((await project.api.delete(`/domains/${id}`)).status).toBe(204);
  });

  it("is refused in a disabled project", async () => {
    const project = await newProject();
    const [{ id }] = (await project.api.get(`/domains/project/${project.id}`)).body;
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await project.api.delete(`/domains/${id}`), 403, "PROJECT_DISABLED");
  });
});

describe("a domain of another project, or one that does not exist,", () => {
  it.each(["GET /verify", "DELETE "])("is not found: %s", async (call) => {
    const [method = "", path = ""] = call.split(" ");
    const [mine, other] = [await newProject(), await newProject()];
    const [theirs] = (await other.api.get(`/domains/project/${other.id}`)).body;
    for (const id of [theirs.id, "0199a0f2-0000-7000-8000-000000000000", "nope"]) {
      const target = `/domains/${id}${path}`;
      const answer = await (method === "GET" ? mine.api.get(target) : mine.api.delete(target));
      expectRefusal(answer, 404, "DOMAIN_NOT_FOUND", { details: { resource: "domain", id } });
    }
    expect((await other.api.get(`/domains/project/${other.id}`)).body).toEqual([theirs]);
  });
});
