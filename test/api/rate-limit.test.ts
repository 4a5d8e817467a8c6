import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as document from "../../src/http/document";
import { type Env, readConfig } from "../../src/platform/env";
import { admin, newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { signedIn, type TestVisitor } from "../support/visitor";
import { callWith } from "../support/with-settings";

const limits = { RATE_LIMIT_ENABLED: "true" };

function get(project: TestProject, settings: Partial<Env>) {
  return callWith(settings, "GET", `/domains/project/${project.id}`, { token: project.keys.secret });
}

function send(project: TestProject, settings: Partial<Env>) {
  const body = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  return callWith(settings, "POST", "/v1/send", { token: project.keys.secret, body });
}

function upsert(project: TestProject, settings: Partial<Env>) {
  return callWith(settings, "POST", "/contacts", { token: project.keys.secret, body: { email: "ada@example.com" } });
}

describe("rate limits", () => {
  it("are off by default, and then say nothing", async () => {
    const project = await newProject();
    expect((await get(project, {})).headers.get("RateLimit-Limit")).toBeNull();
  });

  it("are told on every response, also on a refusal", async () => {
    const project = await newProject();
    const first = await get(project, limits);
    expect(first.headers.get("RateLimit-Limit")).toBe("1000");
    expect(first.headers.get("RateLimit-Remaining")).toBe("999");
    expect(first.headers.get("RateLimit-Reset")).toBe("1");
    const invalid = await callWith(limits, "POST", "/v1/send", { token: project.keys.secret, body: {} });
    expect(invalid.status).toBe(422);
    expect(invalid.headers.get("RateLimit-Limit")).toBe("50");
  });

  it("refuse with 429 and Retry-After once the burst is used up, and have no effect", async () => {
    const project = await newProject();
    const settings = { ...limits, RATE_LIMIT_SEND_PER_SECOND: "0.01", RATE_LIMIT_SEND_BURST: "2" };
    expect((await send(project, settings)).status).toBe(200);
    expect((await send(project, settings)).headers.get("RateLimit-Remaining")).toBe("0");
    const refused = await send(project, settings);
    const retryAfter = Number(refused.headers.get("Retry-After"));
    expectRefusal(refused, 429, "RATE_LIMIT_EXCEEDED", { details: { bucket: "send", retryAfter } });
    expect(retryAfter).toBeGreaterThan(90);
    expect(refused.headers.get("RateLimit-Remaining")).toBe("0");
    // Other buckets go on.
    expect((await upsert(project, settings)).status).toBe(200);
  });

  it("belong to a project", async () => {
    const [one, other] = [await newProject(), await newProject()];
    const settings = { ...limits, RATE_LIMIT_SEND_PER_SECOND: "0.01", RATE_LIMIT_SEND_BURST: "1" };
    expect((await send(one, settings)).status).toBe(200);
    expect((await send(one, settings)).status).toBe(429);
    expect((await send(other, settings)).status).toBe(200);
  });

  it("count every request in the project's own bucket", async () => {
    const project = await newProject();
    const settings = { ...limits, RATE_LIMIT_API_PER_MINUTE: "2" };
    expect((await get(project, settings)).status).toBe(200);
    expect((await upsert(project, settings)).status).toBe(201);
    const refused = await get(project, settings);
    expectRefusal(refused, 429, "RATE_LIMIT_EXCEEDED", { details: { bucket: "api", retryAfter: 30 } });
  });

  it("count a person's requests apart from those of others, also after one has made too many", async () => {
    const project = await newProject();
    const settings = { ...limits, RATE_LIMIT_API_PER_MINUTE: "2" };
    const as = { role: "viewer" } as const;
    const people = [];
    for (let n = 0; n < 21; n++) people.push(await signedIn({ project, as }));
    const [watching, colleague, ...others] = people as [TestVisitor, TestVisitor, ...TestVisitor[]];
    const watch = ({ headers }: TestVisitor) =>
      callWith(settings, "GET", "/activity/version", { headers: headers(project) });
    expect((await watch(watching)).headers.get("RateLimit-Remaining")).toBe("1");
    await watch(watching);
    for (let turn = 0; turn < 20; turn++) {
      const refused = await watch(watching);
      expectRefusal(refused, 429, "RATE_LIMIT_EXCEEDED", { details: { bucket: "api", retryAfter: 30 } });
    }
    expect((await watch(colleague)).status).toBe(200);
    expect((await get(project, settings)).status).toBe(200);
    // All of them together make at most ten times as many.
    const answers = [];
    for (const one of others) answers.push((await watch(one)).status);
    expect(answers).toEqual([...Array(17).fill(200), 429, 429]);
    expect((await get(project, settings)).status).toBe(200);
  });

  it("of 0 switch one bucket off", async () => {
    const project = await newProject();
    const settings = { ...limits, RATE_LIMIT_SEND_PER_SECOND: "0", RATE_LIMIT_SEND_BURST: "1" };
    expect((await send(project, settings)).status).toBe(200);
    expect((await send(project, settings)).headers.get("RateLimit-Limit")).toBe("1000");
  });

  it.each(["TRACK", "SEND", "CONTACTS"])("take whole tokens: a fraction of RATE_LIMIT_%s_BURST is refused", (kind) => {
    const name = `RATE_LIMIT_${kind}_BURST`;
    expect(() => readConfig({ ...env, [name]: "2.5" })).toThrow(name);
    expect(() => readConfig({ ...env, [name]: "0" })).toThrow(name);
    expect(readConfig({ ...env, [name]: "2" })).toBeDefined();
  });

  it("of a project's own hold it below what all have", async () => {
    const project = await newProject({ sendRatePerSecond: 1 });
    const settings = { ...limits, RATE_LIMIT_SEND_PER_SECOND: "1000", RATE_LIMIT_SEND_BURST: "1" };
    expect((await send(project, settings)).status).toBe(200);
    expect((await send(project, settings)).status).toBe(429);
    expect((await admin.get(`/admin/projects/${project.id}`)).headers.get("RateLimit-Limit")).toBeNull();
  });

  it("take nothing from the operator, nor from what is open to all", async () => {
    const settings = { ...limits, RATE_LIMIT_API_PER_MINUTE: "1" };
    for (let turn = 0; turn < 3; turn++) expect((await callWith(settings, "GET", "/health")).status).toBe(200);
  });
});

describe("the flood brake", () => {
  const refusing = { limit: async () => ({ success: false }) } as RateLimit;
  const headers = { "CF-Connecting-IP": "203.0.113.7" };

  it("is off by default, and asked before the key is looked at when it is on", async () => {
    const project = await newProject();
    const path = `/domains/project/${project.id}`;
    expect((await callWith({ FLOOD_BRAKE: refusing }, "GET", path, { headers })).status).toBe(401);
    const on = { FLOOD_BRAKE: refusing, FLOOD_BRAKE_ENABLED: "true" };
    const refused = await callWith(on, "GET", path, { headers });
    expectRefusal(refused, 429, "RATE_LIMIT_EXCEEDED", { details: { bucket: "flood", retryAfter: 10 } });
    expect(refused.headers.get("Retry-After")).toBe("10");
  });

  it("stands before the operator's paths and the reference, and never before recipients' pages", async () => {
    const on = { FLOOD_BRAKE: refusing, FLOOD_BRAKE_ENABLED: "true" };
    for (const path of [
      "/admin/projects",
      "/outbox",
      "/docs",
      "/docs/reference.js",
      "/docs/sending.md",
      "/llms.txt",
      "/openapi.json",
    ]) {
      expect((await callWith(on, "GET", path, { headers })).status).toBe(429);
    }
    for (const path of ["/unsubscribe/x", "/subscribe/x", "/manage/x", "/confirm/x", "/health"]) {
      expect((await callWith(on, "GET", path, { headers })).status).not.toBe(429);
    }
  });

  it("lets ordinary traffic pass, and all of it when it cannot be asked", async () => {
    const project = await newProject();
    const token = project.keys.secret;
    const path = `/domains/project/${project.id}`;
    const on = { FLOOD_BRAKE_ENABLED: "true" };
    expect((await callWith(on, "GET", path, { token, headers })).status).toBe(200);
    const broken = { limit: () => Promise.reject(new Error("gone")) } as RateLimit;
    expect((await callWith({ ...on, FLOOD_BRAKE: broken }, "GET", path, { token, headers })).status).toBe(200);
  });
});

describe("the reference", () => {
  it.each(["/docs", "/docs/reference", "/openapi.json"])(
    "is kept by browsers, and asked for by its tag: %s",
    async (path) => {
      const first = await callWith({}, "GET", path);
      expect(first.status).toBe(200);
      expect(first.headers.get("Cache-Control")).toBe("public, max-age=300");
      const tag = first.headers.get("ETag") ?? "";
      expect(tag).toMatch(/^(W\/)?"[0-9a-f]+"$/);
      const again = await callWith({}, "GET", path, { headers: { "If-None-Match": tag } });
      expect([again.status, again.headers.get("ETag")]).toEqual([304, tag]);
      expect(again.headers.get("Cache-Control")).toBe("public, max-age=300");
    },
  );

  it("is not generated anew for who has it, but for another address or another limit of attachments", async () => {
    const tag = (await callWith({}, "GET", "/openapi.json")).headers.get("ETag") ?? "";
    const generate = vi.spyOn(document, "documentOf");
    try {
      const headers = { "If-None-Match": tag };
      expect((await callWith({}, "GET", "/openapi.json", { headers })).status).toBe(304);
      expect((await callWith({}, "GET", "/openapi.json")).status).toBe(200);
      expect(generate).not.toHaveBeenCalled();
      const other = await callWith({ MAX_ATTACHMENT_SIZE_MB: "20" }, "GET", "/openapi.json", { headers });
      expect(other.status).toBe(200);
      expect(generate).toHaveBeenCalledOnce();
      const { paths } = other.body;
      const tooLarge = paths["/v1/send"].post.responses["413"].content["application/json"].example;
      expect(tooLarge.error.details.maxBytes).toBe(Math.ceil((20 * 1024 * 1024 * 4) / 3) + 2 * 1024 * 1024);
    } finally {
      generate.mockRestore();
    }
  });
});
