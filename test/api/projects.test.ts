import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { readId } from "../../src/core/ids";
import type { QueueMessage } from "../../src/core/messages";
import worker from "../../src/index";
import { idSql } from "../support/counts";
import { effects, noEffects } from "../support/effects";
import { type Answer, admin, bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { emailIds, emailIn } from "../support/send-and-wait";
import { callWith } from "../support/with-settings";

const keyOf = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{64}$`));
const nobody = "01990000-0000-7000-8000-000000000000";

describe("POST /admin/projects", () => {
  it("makes a project with its defaults and two keys", async () => {
    const { status, body } = await admin.post("/admin/projects", { name: " Acme " });
    expect(status).toBe(201);
    expect(body).toEqual({
      project: {
        id: expect.stringMatching(uuid),
        name: "Acme",
        fromName: null,
        locale: "en",
        disabled: false,
        disabledReason: null,
        tracking: "ENABLED",
        monthlySendLimit: null,
        sendRatePerSecond: null,
        testClock: false,
        publicKeyMayResubscribe: false,
        publicAnswers: "IDS",
        company: null,
        postalAddress: null,
        publicTrackSubscribes: true,
        maxStorageMb: 2048,
        sendingPaused: null,
        confirmationTemplateId: null,
        database: expect.stringMatching(/^DB(_\d+)?$/),
        moving: null,
        createdAt: expect.stringMatching(isoTime),
        updatedAt: body.project.createdAt,
      },
      keys: { secret: keyOf("sk"), public: keyOf("pk") },
    });
    expect((await admin.get(`/admin/projects/${body.project.id}`)).body).toEqual(body.project);
  });

  it("takes every setting", async () => {
    const settings = {
      name: "Acme",
      fromName: "Acme Inc",
      locale: "pt-BR",
      tracking: "MARKETING_ONLY",
      monthlySendLimit: 1,
      sendRatePerSecond: 5,
      testClock: true,
      company: "Acme GmbH & Co. KG",
      postalAddress: "Musterstraße 1\n10115 Berlin",
      publicTrackSubscribes: false,
    };
    expect((await admin.post("/admin/projects", settings)).body.project).toMatchObject(settings);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["no name", { name: undefined }, "name", "required"],
    ["an empty name", { name: "" }, "name", "too_small"],
    ["a blank name", { name: "   " }, "name", "too_small"],
    ["a name of 101 characters", { name: "n".repeat(101) }, "name", "too_big"],
    ["a name that is a number", { name: 1 }, "name", "invalid_type"],
    ["a sender name with a line break", { fromName: "A\r\nB" }, "fromName", "invalid_string"],
    ["a locale that is none", { locale: "not a locale" }, "locale", "invalid_string"],
    ["a limit of -1", { monthlySendLimit: -1 }, "monthlySendLimit", "too_small"],
    ["a limit of 1.5", { monthlySendLimit: 1.5 }, "monthlySendLimit", "invalid_type"],
    ["a limit that is a string", { monthlySendLimit: "10" }, "monthlySendLimit", "invalid_type"],
    ["a rate of -1", { sendRatePerSecond: -1 }, "sendRatePerSecond", "too_small"],
    ["a tracking nobody knows", { tracking: "SOMETIMES" }, "tracking", "invalid_enum_value"],
    ["a company of 201 characters", { company: "c".repeat(201) }, "company", "too_big"],
    ["a company of two lines", { company: "Acme\nInc" }, "company", "invalid_string"],
    ["a company that is a number", { company: 1 }, "company", "invalid_type"],
    ["an address of 501 characters", { postalAddress: "a".repeat(501) }, "postalAddress", "too_big"],
    ["an address of eleven lines", { postalAddress: "a\n".repeat(11) }, "postalAddress", "too_big"],
    ["an address with a control character", { postalAddress: "1 Main St\u0007" }, "postalAddress", "invalid_string"],
    ["an address that cannot be stored", { postalAddress: "1 Main St \ud800" }, "postalAddress", "invalid_string"],
    ["a blank name", { name: " " }, "name", "too_small"],
    ["a name that cannot be stored", { name: "Acme \ud800" }, "name", "invalid_string"],
    ["a test clock that is a word", { testClock: "yes" }, "testClock", "invalid_type"],
  ])("refuses %s", async (_, fields, field, code) => {
    const before = await projectCount();
    expectInvalid(await admin.post("/admin/projects", { name: "Acme", ...fields }), field, code);
    expect(await projectCount()).toBe(before);
  });

  it("refuses other texts that cannot be stored, too", async () => {
    const path = `/admin/projects/${(await newProject()).id}`;
    for (const [answer, field] of [
      [await admin.patch(path, { disabledReason: "\ud800" }), "disabledReason"],
      [await admin.post(`${path}/keys`, { kind: "secret", name: "\ud800" }), "name"],
      [await admin.post("/admin/keys", { kind: "monitor", name: "\ud800" }), "name"],
    ] as const) {
      expectInvalid(answer, field, "invalid_string");
    }
  });

  it("tidies a postal address, and keeps its lines", async () => {
    const given = {
      name: "Acme",
      company: "  Acme   GmbH ",
      postalAddress: " Musterstraße\t1 \r\n\r\n10115  Berlin\n",
    };
    const { project } = (await admin.post("/admin/projects", given)).body;
    expect(project).toMatchObject({ company: "Acme GmbH", postalAddress: "Musterstraße 1\n10115 Berlin" });
    const path = `/admin/projects/${project.id}`;
    const changed = await admin.patch(path, { company: "", postalAddress: "1 Main St" });
    expect(changed.body).toMatchObject({ company: null, postalAddress: "1 Main St" });
    expect((await admin.patch(path, { postalAddress: null })).body.postalAddress).toBeNull();
    expect((await admin.patch(path, { postalAddress: " \n " })).body.postalAddress).toBeNull();
  });

  it("takes a name of 100 characters", async () => {
    expect((await admin.post("/admin/projects", { name: "n".repeat(100) })).status).toBe(201);
  });

  it("keeps of a key no more than its hash", async () => {
    const { body } = await admin.post("/admin/projects", { name: "Acme" });
    const { results } = await env.DB.prepare(
      "SELECT k.* FROM api_keys k JOIN projects p ON p.number = k.project_id WHERE p.id = ?",
    )
      .bind(body.project.id)
      .all();
    expect(results).toHaveLength(2);
    for (const key of [body.keys.secret, body.keys.public]) {
      expect(results.map((row) => row.hash)).toContain(await sha256(key));
      expect(JSON.stringify(results)).not.toContain(key.slice(3 + 8));
    }
  });
});

describe("GET /admin/projects", () => {
  it("is a cursor page, newest first, with the total on the first page only", async () => {
    const made = [];
    for (const name of ["one", "two", "three"]) made.push((await admin.post("/admin/projects", { name })).body.project);
    const first = await admin.get("/admin/projects?limit=2");
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      data: [made[2], made[1]],
      cursor: expect.stringMatching(/./),
      hasMore: true,
      total: await projectCount(),
    });
    const second = await admin.get(`/admin/projects?limit=2&cursor=${encodeURIComponent(first.body.cursor)}`);
    expect(second.body.data[0]).toEqual(made[0]);
    expect(second.body.total).toBe(0);
  });

  it("reaches every project once, and ends with an empty cursor", async () => {
    for (const name of ["one", "two", "three", "four"]) await admin.post("/admin/projects", { name });
    const seen: string[] = [];
    let page: Answer["body"] = { cursor: "", hasMore: true };
    while (page.hasMore) {
      page = (await admin.get(`/admin/projects?limit=3&cursor=${encodeURIComponent(page.cursor)}`)).body;
      seen.push(...page.data.map((project: { id: string }) => project.id));
    }
    expect(page.cursor).toBe("");
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(await projectCount());
    expect(seen).toEqual(seen.toSorted().toReversed());
  });

  it.each(["0", "-1", "1.5", "abc", "", "1e2"])("refuses limit=%s", async (limit) => {
    const answer = await admin.get(`/admin/projects?limit=${limit}`);
    expectRefusal(answer, 422, "VALIDATION_ERROR", { errors: [expect.objectContaining({ field: "limit" })] });
  });

  it("clamps a limit that is too large", async () => {
    expect((await admin.get("/admin/projects?limit=1000000")).status).toBe(200);
  });

  it.each(["nonsense", "%00", "e30=", "bnVsbA==", "eyJhZnRlciI6NDJ9"])(
    "says 400 to a cursor it did not make: %s",
    async (cursor) => {
      expectRefusal(await admin.get(`/admin/projects?cursor=${cursor}`), 400, "BAD_REQUEST");
    },
  );
});

describe("PATCH /admin/projects/{id}", () => {
  it("changes what is given and nothing else", async () => {
    const project = (await admin.post("/admin/projects", { name: "Acme", fromName: "Acme", monthlySendLimit: 5 })).body
      .project;
    const { status, body } = await admin.patch(`/admin/projects/${project.id}`, {
      name: "New",
      monthlySendLimit: null,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...project,
      name: "New",
      monthlySendLimit: null,
      updatedAt: expect.stringMatching(isoTime),
    });
    expect((await admin.get(`/admin/projects/${project.id}`)).body).toEqual(body);
  });

  it("changes nothing for an empty body but the time", async () => {
    const { project } = (await admin.post("/admin/projects", { name: "Acme" })).body;
    expect((await admin.patch(`/admin/projects/${project.id}`, {})).body).toMatchObject({
      ...project,
      updatedAt: expect.any(String),
    });
  });

  it("forgets a sender name that is emptied", async () => {
    const { project } = (await admin.post("/admin/projects", { name: "Acme", fromName: "Acme" })).body;
    expect((await admin.patch(`/admin/projects/${project.id}`, { fromName: "" })).body.fromName).toBeNull();
  });

  it("disables a project with a reason, and forgets the reason when it is enabled again", async () => {
    const project = await newProject();
    const disabled = await admin.patch(`/admin/projects/${project.id}`, { disabled: true, disabledReason: "Unpaid" });
    expect(disabled.body).toMatchObject({ disabled: true, disabledReason: "Unpaid" });
    expectRefusal(await project.api.send(), 403, "PROJECT_DISABLED");
    const enabled = await admin.patch(`/admin/projects/${project.id}`, { disabled: false });
    expect(enabled.body).toMatchObject({ disabled: false, disabledReason: null });
    emailIds(await project.api.send());
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["null for a name", { name: null }, "name", "invalid_type"],
    ["an empty name", { name: "" }, "name", "too_small"],
    ["a word for disabled", { disabled: "yes" }, "disabled", "invalid_type"],
    ["a tracking nobody knows", { tracking: "x" }, "tracking", "invalid_enum_value"],
  ])("refuses %s, and changes nothing", async (_, fields, field, code) => {
    const { project } = (await admin.post("/admin/projects", { name: "Acme" })).body;
    expectInvalid(await admin.patch(`/admin/projects/${project.id}`, { testClock: true, ...fields }), field, code);
    expect((await admin.get(`/admin/projects/${project.id}`)).body).toEqual(project);
  });
});

describe("DELETE /admin/projects/{id}", () => {
  it("kills the keys at once and hides the project", async () => {
    const project = await newProject();
    const [id = ""] = emailIds(await project.api.send());
    const { status, body } = await admin.delete(`/admin/projects/${project.id}`);
    expect(status).toBe(202);
    expect(body).toMatchObject({ jobId: expect.stringMatching(uuid) });
    expectRefusal(await project.api.send(), 401, "INVALID_API_KEY");
    expectRefusal(await project.api.get(`/emails/${id}`), 401, "INVALID_API_KEY");
    expect(await everyAnswerAbout(project.id)).toEqual([404, 404, 404, 404, 404]);
    expect((await admin.get("/admin/projects?limit=1")).body.data[0].id).not.toBe(project.id);
    expect((await admin.get(`/admin/jobs/${body.jobId}`)).body).toMatchObject({
      jobId: body.jobId,
      status: "queued",
      progress: 0,
      errors: [],
      completedAt: null,
    });
  });

  it("removes all that the project held, its domains for others to have, and leaves other projects alone", async () => {
    const [project, other] = [await newProject(), await newProject()];
    for (const each of [project, other]) {
      const sent = await each.api.send({ body: "b".repeat(100_000), subscribed: true, data: { plan: "pro" } });
      await emailIn(each, emailIds(sent)[0] ?? "", "DELIVERED");
    }
    const kept = await effects(other);
    const { jobId } = (await admin.delete(`/admin/projects/${project.id}`)).body;
    await runNow({ type: "project.erase", projectId: project.number, jobId: readId(jobId) });
    expect(await effects(project)).toEqual(noEffects);
    expect((await env.BLOBS.list({ prefix: `outbox/${project.id}/` })).objects).toEqual([]);
    expect((await admin.get(`/admin/jobs/${jobId}`)).body).toMatchObject({ status: "completed", progress: 100 });
    expect(await effects(other)).toEqual(kept);
    expect((await other.api.post("/domains", { domain: project.domain })).status).toBe(201);
  });
});

describe("a project that does not exist", () => {
  it.each([nobody, "nope"])("is 404 in every route: %s", async (id) => {
    expect(await everyAnswerAbout(id)).toEqual([404, 404, 404, 404, 404]);
    expectRefusal(await admin.get(`/admin/projects/${id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "project", id },
    });
    expect((await admin.get(`/admin/jobs/${id}`)).status).toBe(404);
  });
});

describe("keys", () => {
  it("are added, shown whole once, and listed without the key", async () => {
    const project = await newProject();
    const path = `/admin/projects/${project.id}/keys`;
    const made = await admin.post(path, { kind: "secret", name: "server" });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(uuid),
      kind: "secret",
      name: "server",
      key: keyOf("sk"),
      prefix: made.body.key.slice(0, made.body.prefix.length),
      createdAt: expect.stringMatching(isoTime),
    });
    expect(made.body.prefix.length).toBeLessThan(20);
    const unnamed = await admin.post(path, { kind: "public" });
    expect(unnamed.body).toMatchObject({ kind: "public", name: null, key: keyOf("pk") });
    const { status, body } = await admin.get(path);
    expect(status).toBe(200);
    const { key: _, ...shown } = made.body;
    expect(body).toHaveLength(4);
    expect(body).toContainEqual({ ...shown, lastUsedAt: null });
    for (const key of [made.body.key, unnamed.body.key]) expect(JSON.stringify(body)).not.toContain(key);
  });

  it("work side by side, until one is revoked", async () => {
    const project = await newProject();
    const path = `/admin/projects/${project.id}/keys`;
    const made = (await admin.post(path, { kind: "secret" })).body;
    const read = (key: string) => call("GET", `/domains/project/${project.id}`, undefined, bearer(key));
    expect([(await read(made.key)).status, (await read(project.keys.secret)).status]).toEqual([200, 200]);
    expect((await admin.delete(`${path}/${made.id}`)).status).toBe(204);
    expectRefusal(await read(made.key), 401, "INVALID_API_KEY");
    expect((await read(project.keys.secret)).status).toBe(200);
    expect((await admin.get(path)).body.map((key: { id: string }) => key.id)).not.toContain(made.id);
    expect((await admin.delete(`${path}/${made.id}`)).status).toBe(404);
  });

  it("are 100 at most, as many as a list shows, and no neighbour feels it", async () => {
    const [project, neighbour] = [await newProject(), await newProject()];
    const path = `/admin/projects/${project.id}/keys`;
    await env.DB.prepare(
      `INSERT INTO api_keys (project_id, id, kind, prefix, hash, created_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 97)
        SELECT ?1, ${idSql("i")}, 'secret', 'sk_x', ?1 || ' ' || i, 0 FROM n`,
    )
      .bind(project.number)
      .run();
    expect((await admin.post(path, { kind: "secret" })).status).toBe(201);
    expectRefusal(await admin.post(path, { kind: "public" }), 409, "CONFLICT", { details: { limit: 100 } });
    const { body } = await admin.get(path);
    expect(body).toHaveLength(100);
    expect((await admin.post(`/admin/projects/${neighbour.id}/keys`, { kind: "secret" })).status).toBe(201);
    expect((await admin.delete(`${path}/${body[99].id}`)).status).toBe(204);
    expect((await admin.post(path, { kind: "public" })).status).toBe(201);
  });

  it("say when they were last used", async () => {
    const project = await newProject();
    await vi.waitFor(async () => {
      const { body } = await admin.get(`/admin/projects/${project.id}/keys`);
      const used = body.filter((key: { lastUsedAt: string | null }) => key.lastUsedAt !== null);
      expect(used).toEqual([expect.objectContaining({ kind: "secret", lastUsedAt: expect.stringMatching(isoTime) })]);
    });
  });

  it("of another project are not found", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const [key] = (await admin.get(`/admin/projects/${other.id}/keys`)).body;
    expect((await admin.delete(`/admin/projects/${mine.id}/keys/${key.id}`)).status).toBe(404);
    expect((await admin.get(`/admin/projects/${other.id}/keys`)).body).toHaveLength(2);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["no kind", {}, "kind", "required"],
    ["a kind nobody knows", { kind: "master" }, "kind", "invalid_enum_value"],
    ["a name of 101 characters", { kind: "secret", name: "n".repeat(101) }, "name", "too_big"],
  ])("are refused with %s", async (_, body, field, code) => {
    const project = await newProject();
    expectInvalid(await admin.post(`/admin/projects/${project.id}/keys`, body), field, code);
    expect((await admin.get(`/admin/projects/${project.id}/keys`)).body).toHaveLength(2);
  });
});

describe("the operator's token", () => {
  const token = env.ADMIN_TOKEN ?? "";
  const routes: [string, string][] = [
    ["POST", "/admin/projects"],
    ["GET", "/admin/projects"],
    ["GET", `/admin/projects/${nobody}`],
    ["PATCH", `/admin/projects/${nobody}`],
    ["DELETE", `/admin/projects/${nobody}`],
    ["POST", `/admin/projects/${nobody}/keys`],
    ["GET", `/admin/projects/${nobody}/keys`],
    ["DELETE", `/admin/projects/${nobody}/keys/x`],
    ["GET", `/admin/jobs/${nobody}`],
    ["GET", "/admin/nothing-here"],
  ];

  it.each([
    ["no token", {}],
    ["an empty token", bearer("")],
    ["a wrong token", bearer("wrong-token-of-at-least-thirty-two-characters")],
    ["a short token", bearer("short")],
    ["the beginning of the token", bearer(token.slice(0, -1))],
    ["the token and more", bearer(`${token}x`)],
    ["the token in another case", bearer(token.toUpperCase())],
    ["the token in another scheme", { headers: { Authorization: `Basic ${token}` } }],
    ["the token alone", { headers: { Authorization: token } }],
  ])("is asked for everywhere: %s", async (_, init) => {
    for (const [method, path] of routes) {
      expectRefusal(await call(method, path, undefined, init), 401, "INVALID_API_KEY");
    }
  });

  it("is not a project's key, nor is a key the token", async () => {
    const project = await newProject();
    expectRefusal(await call("GET", "/admin/projects", undefined, bearer(project.keys.secret)), 401, "INVALID_API_KEY");
    const own = await call("GET", `/domains/project/${project.id}`, undefined, bearer(token));
    expectRefusal(own, 401, "INVALID_API_KEY");
  });

  it("finds nothing where there is nothing, and names the methods of what there is", async () => {
    expectRefusal(await admin.get("/admin/nothing-here"), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "route", id: "/admin/nothing-here" },
    });
    const wrong = await admin.delete("/admin/projects");
    expectRefusal(wrong, 405, "METHOD_NOT_ALLOWED", { details: expect.anything() });
    expect(wrong.headers.get("Allow")?.split(", ").toSorted()).toEqual(["GET", "POST"]);
  });

  it.each([undefined, ""])("set to %j hides the whole tree", async (ADMIN_TOKEN) => {
    for (const [method, path] of routes) {
      const answer = await callWith({ ADMIN_TOKEN }, method, path, { token });
      expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: { resource: "route", id: path } });
    }
  });

  it("is any in the list, so that it can be replaced without an outage", async () => {
    const [old, fresh, short] = ["o".repeat(32), "n".repeat(40), "s".repeat(31)];
    const settings = { ADMIN_TOKEN: `${fresh}, ${old},${short}` };
    const asked = (token: string) => callWith(settings, "GET", "/admin/projects", { token });
    expect((await asked(old)).status).toBe(200);
    expect((await asked(fresh)).status).toBe(200);
    for (const wrong of [short, settings.ADMIN_TOKEN.replaceAll(" ", ""), `${old},`, "x".repeat(32)]) {
      expectRefusal(await asked(wrong), 401, "INVALID_API_KEY");
    }
    const onlyNew = await callWith({ ADMIN_TOKEN: fresh }, "GET", "/admin/projects", { token: old });
    expectRefusal(onlyNew, 401, "INVALID_API_KEY");
  });

  it("that the operator set too short opens nothing, and closes nothing else", async () => {
    const settings = { ADMIN_TOKEN: "x".repeat(31) };
    const answer = await callWith(settings, "GET", "/admin/projects", { token: settings.ADMIN_TOKEN });
    expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: expect.anything() });
    expect((await callWith(settings, "GET", "/health")).status).toBe(200);
  });
});

async function everyAnswerAbout(projectId: string): Promise<number[]> {
  const path = `/admin/projects/${projectId}`;
  const answers = [
    await admin.get(path),
    await admin.patch(path, { name: "New" }),
    await admin.delete(path),
    await admin.get(`${path}/keys`),
    await admin.post(`${path}/keys`, { kind: "secret" }),
  ];
  return answers.map(({ status }) => status);
}

async function projectCount(): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS n FROM projects WHERE deleted_at IS NULL").first<{
    n: number;
  }>();
  return row?.n ?? 0;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Runs a job now that its queue would hold back for a while. */
async function runNow(job: QueueMessage): Promise<void> {
  const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body: job };
  const batch = createMessageBatch("petrel-jobs", [message]);
  const execution = createExecutionContext();
  await worker.queue(batch, env, execution);
  expect((await getQueueResult(batch, execution)).explicitAcks).toEqual([message.id]);
}
