import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { expectEffects, noEffects } from "../support/effects";
import { postImport } from "../support/import";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectRefusal, isoTime, uuid } from "../support/refusal";
import { emailRows } from "../support/rows";
import { emailIds } from "../support/send-and-wait";
import { callWith } from "../support/with-settings";

const megabyte = 1024 * 1024;
/** 10 MB of attachments as base64, and 2 MB for all else. */
const sendLimit = Math.ceil((10 * megabyte * 4) / 3) + 2 * megabyte;

describe("the request id", () => {
  it.each(["a", "order-1042", "A.b_c-9", "x".repeat(128), crypto.randomUUID()])(
    "is the caller's own: %s",
    async (id) => {
      const project = await newProject();
      const init = { headers: { ...bearer(project.keys.secret).headers, "X-Request-ID": id } };
      for (const path of ["/health", `/domains/project/${project.id}`, "/contacts/x", "/nothing", "/v1/send"]) {
        const answer = await call("GET", path, undefined, init);
        expect(answer.headers.get("X-Request-ID")).toBe(id);
        if (answer.status >= 400) expect(answer.body.error.requestId).toBe(id);
      }
    },
  );

  it.each(["x".repeat(129), "a b", "a/b", "a,b", "é", "<script>", "a:b"])(
    "is a new uuid in place of %j",
    async (id) => {
      const answer = await call("GET", "/contacts/x", undefined, { headers: { "X-Request-ID": id } });
      expect(answer.headers.get("X-Request-ID")).toMatch(uuid);
      expect(answer.body.error.requestId).toBe(answer.headers.get("X-Request-ID"));
    },
  );

  it("is a new one for each request that brings none", async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await call("GET", "/health")).headers.get("X-Request-ID")),
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(uuid);
  });

  it("is on answers that went well, too", async () => {
    const project = await newProject();
    const sent = await project.api.send();
    expect(sent.headers.get("X-Request-ID")).toMatch(uuid);
  });
});

describe("authentication", () => {
  const unknown = `sk_${"0".repeat(64)}`;

  it.each<[string, Record<string, string>]>([
    ["no key", {}],
    ["an empty header", { Authorization: "" }],
    ["a scheme alone", { Authorization: "Bearer" }],
    ["an empty key", { Authorization: "Bearer " }],
    ["another scheme", { Authorization: `Basic ${unknown}` }],
    ["a key without a scheme", { Authorization: unknown }],
    ["a key that was never made", { Authorization: `Bearer ${unknown}` }],
    ["a key that is too short", { Authorization: `Bearer ${unknown.slice(0, -1)}` }],
    ["a key that is too long", { Authorization: `Bearer ${unknown}0` }],
    ["a key without its prefix", { Authorization: `Bearer ${"0".repeat(64)}` }],
    ["a key with words in it", { Authorization: "Bearer sk_' OR 1=1 --" }],
    ["the key in a header of its own", { "X-Api-Key": unknown }],
  ])("refuses %s before anything else", async (_, headers) => {
    for (const [method, path] of [
      ["POST", "/v1/send"],
      ["GET", "/contacts/x"],
      ["GET", "/nothing"],
      ["PUT", "/contacts"],
    ]) {
      expectRefusal(await call(method ?? "", path ?? "", undefined, { headers }), 401, "INVALID_API_KEY");
    }
  });

  it("refuses a key of the right form whose letters are upper-case", async () => {
    const { keys } = await newProject();
    const key = `sk_${keys.secret.slice(3).toUpperCase()}`;
    expectRefusal(await call("GET", "/contacts/x", undefined, bearer(key)), 401, "INVALID_API_KEY");
  });

  it("takes the scheme in any case", async () => {
    const project = await newProject();
    const headers = { Authorization: `bearer ${project.keys.secret}` };
    expect((await call("GET", `/domains/project/${project.id}`, undefined, { headers })).status).toBe(200);
  });

  it("comes before the body is looked at", async () => {
    expectRefusal(await call("POST", "/v1/send", "{"), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", "/contacts", "x".repeat(2 * megabyte)), 401, "INVALID_API_KEY");
  });

  it("tells no key and nobody's name in a refusal", async () => {
    const project = await newProject({ name: "Secret Name" });
    const answer = await call("GET", "/contacts/x", undefined, bearer(project.keys.public));
    expect(JSON.stringify(answer.body)).not.toMatch(new RegExp(`${project.keys.public}|Secret Name|${project.id}`));
  });
});

describe("routes", () => {
  it.each([
    ["GET", "/nothing"],
    ["POST", "/v1/nothing"],
    ["GET", "/contacts/a/b/c"],
    ["GET", "/v2/send"],
  ])("says 404 to what nobody knows: %s %s", async (method, path) => {
    const answer = await call(method, path, undefined, bearer((await newProject()).keys.secret));
    expectRefusal(answer, 404, "RESOURCE_NOT_FOUND", { details: { resource: "route", id: path } });
  });

  it.each([
    ["GET", "/v1/send", ["POST"]],
    ["PUT", "/v1/send", ["POST"]],
    ["DELETE", "/contacts", ["POST"]],
    ["PUT", "/contacts/some-id", ["GET"]],
    ["POST", "/emails/some-id", ["GET"]],
    ["PATCH", "/domains", ["POST"]],
    ["POST", "/jobs/some-id", ["GET"]],
  ])("says 405 with Allow to a method that a path does not take: %s %s", async (method, path, allowed) => {
    const answer = await call(method, path, undefined, bearer((await newProject()).keys.secret));
    expectRefusal(answer, 405, "METHOD_NOT_ALLOWED", { details: expect.anything() });
    expect(answer.headers.get("Allow")?.split(", ")).toEqual(expect.arrayContaining(allowed));
  });

  it.each([
    ["GET", "/contacts/lookup", ["POST"]],
    ["PATCH", "/contacts/bulk-delete", ["POST"]],
    ["DELETE", "/contacts/fields", ["GET"]],
    ["DELETE", "/emails/retry", ["POST"]],
    ["GET", "/segments/preview", ["POST"]],
    ["DELETE", "/workflows/fields", ["GET"]],
    ["DELETE", "/workflows/some-id/executions/cancel-all", ["POST"]],
  ])("do not take the name of an endpoint for an id: %s %s", async (method, path, allowed) => {
    const answer = await call(method, path, undefined, bearer((await newProject()).keys.secret));
    expectRefusal(answer, 405, "METHOD_NOT_ALLOWED", { details: expect.anything() });
    expect(answer.headers.get("Allow")?.split(", ").toSorted()).toEqual(allowed);
  });

  it("take the name of an endpoint for that of an event", async () => {
    const { api } = await newProject();
    await api.post("/events/track", { email: "ada@example.com", event: "names" });
    expect((await api.delete("/events/names")).body).toEqual({ deletedCount: 1 });
  });

  it("say 404 to the id of another project's job", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const { jobId } = (await admin.delete(`/admin/projects/${other.id}`)).body;
    expectRefusal(await mine.api.get(`/jobs/${jobId}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "job", id: jobId },
    });
  });
});

describe("CORS", () => {
  const exposed = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After", "X-Request-ID"];
  const lower = (list: string | null) => list?.toLowerCase().split(/, ?/).toSorted();
  const corsHeaders = (answer: { headers: Headers }) =>
    [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));

  it.each(["/v1/send", "/v1/track", "/v1/verify"])(
    "answers a browser's preflight of %s without a key",
    async (path) => {
      const { status, headers } = await call("OPTIONS", path, undefined, {
        headers: {
          Origin: "https://shop.example",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "authorization,content-type,idempotency-key,x-request-id",
        },
      });
      expect(status).toBe(204);
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(lower(headers.get("Access-Control-Allow-Methods"))).toEqual(["options", "post"]);
      expect(lower(headers.get("Access-Control-Allow-Headers"))).toEqual([
        "authorization",
        "content-type",
        "idempotency-key",
        "x-request-id",
      ]);
      expect(headers.get("Access-Control-Max-Age")).toBe("86400");
      expect(headers.get("X-Request-ID")).toMatch(uuid);
    },
  );

  it.each<[string, (project: TestProject) => Promise<{ status: number; headers: Headers }>]>([
    ["200", (project) => project.api.send()],
    ["400", (project) => call("POST", "/v1/send", "{", bearer(project.keys.secret))],
    ["401", () => call("POST", "/v1/send", {})],
    ["403", (project) => project.api.send({ from: "hello@unregistered.test" })],
    ["404", (project) => project.api.post("/v1/nothing", {})],
    ["405", (project) => project.api.get("/v1/send")],
    ["422", (project) => project.api.send({ to: "nope" })],
  ])("lets a browser read a %s of /v1/*", async (status, request) => {
    const answer = await request(await newProject());
    expect(answer.status).toBe(Number(status));
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(lower(answer.headers.get("Access-Control-Expose-Headers"))).toEqual(lower(exposed.join(",")));
  });

  it("is offered nowhere else", async () => {
    const project = await newProject();
    const init = { headers: { ...bearer(project.keys.secret).headers, Origin: "https://shop.example" } };
    const preflight = { headers: { Origin: "https://shop.example", "Access-Control-Request-Method": "POST" } };
    for (const path of [
      "/health",
      "/openapi.json",
      "/contacts/x",
      `/domains/project/${project.id}`,
      "/outbox/messages",
      "/nothing",
    ]) {
      expect(corsHeaders(await call("GET", path, undefined, init))).toEqual([]);
    }
    for (const path of ["/contacts", "/health", "/admin/projects", "/domains"]) {
      const answer = await call("OPTIONS", path, undefined, preflight);
      expect(answer.status).not.toBe(204);
      expect(corsHeaders(answer)).toEqual([]);
    }
  });
});

describe("a JSON body", () => {
  const sound = (project: TestProject) =>
    JSON.stringify({ to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>" });

  it.each([
    ["is cut off", (json: string) => json.slice(0, -1)],
    ["is cut off in a string", (json: string) => json.slice(0, -3)],
    ["is empty", () => ""],
    ["is blank", () => "  \n"],
    ["is a word", () => "hello"],
    ["is a form", () => "to=ada%40example.com&subject=Hello"],
    ["ends with a comma", (json: string) => `${json.slice(0, -1)},}`],
    ["has single quotes", (json: string) => json.replaceAll('"', "'")],
    ["is followed by more", (json: string) => `${json}${json}`],
    ["holds a line break in a string", (json: string) => json.replace("Hello", "Hel\nlo")],
  ])("that %s is a 400, and has no effect", async (_, broken) => {
    const project = await newProject();
    const answer = await call("POST", "/v1/send", broken(sound(project)), bearer(project.keys.secret));
    expectRefusal(answer, 400, "BAD_REQUEST");
    expect(answer.body.error.message).toContain("JSON");
    await expectEffects(project, noEffects);
  });

  it.each(["POST /contacts", "POST /domains", "POST /admin/projects"])(
    "that is broken is a 400 at %s too",
    async (route) => {
      const project = await newProject();
      const [method = "", path = ""] = route.split(" ");
      const key = path.startsWith("/admin") ? (env.ADMIN_TOKEN ?? "") : project.keys.secret;
      expectRefusal(await call(method, path, '{"email":', bearer(key)), 400, "BAD_REQUEST");
    },
  );

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/octet-stream",
    "nonsense",
  ])("is read whatever its Content-Type says: %s", async (type) => {
    const project = await newProject();
    const headers = { ...bearer(project.keys.secret).headers, "Content-Type": type };
    emailIds(await call("POST", "/v1/send", sound(project), { headers }));
    const contact = await call("POST", "/contacts", '{"email":"bob@example.com"}', { headers });
    expect(contact.status).toBe(201);
  });

  it("is read without a Content-Type, and broken is a 400 then too", async () => {
    const project = await newProject();
    const post = async (body: string) => {
      const headers = { Authorization: `Bearer ${project.keys.secret}` };
      // Bytes carry no type of their own, as a string would.
      const init = { method: "POST", headers, body: new TextEncoder().encode(body) };
      return (await exports.default.fetch("https://petrel.example/v1/send", init)).status;
    };
    expect(await post(sound(project))).toBe(200);
    expect(await post("{")).toBe(400);
  });

  it.each(["[]", "null", "42", '"text"', "true"])("that is %s is well-formed but no object: 422", async (json) => {
    const project = await newProject();
    const answer = await call("POST", "/v1/send", json, bearer(project.keys.secret));
    expectRefusal(answer, 422, "VALIDATION_ERROR", { errors: [expect.objectContaining({ code: "invalid_type" })] });
    await expectEffects(project, noEffects);
  });

  it("may begin with a byte order mark and hold any script", async () => {
    const project = await newProject();
    const body = `\uFEFF${JSON.stringify({ email: "ada@example.com", data: { name: "Žofie 李 👩‍👩‍👧" } })}`;
    const answer = await call("POST", "/contacts", body, bearer(project.keys.secret));
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({ name: "Žofie 李 👩‍👩‍👧" });
  });
});

describe("a body that is too large", () => {
  const padded = (json: Record<string, unknown>, bytes: number) => {
    const { length } = JSON.stringify({ ...json, padding: "" });
    return JSON.stringify({ ...json, padding: "x".repeat(bytes - length) });
  };

  /** Sends the body piece by piece, with no length announced. */
  async function stream(project: TestProject, path: string, body: string): Promise<Response> {
    const bytes = new TextEncoder().encode(body);
    let sent = 0;
    const pieces = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(sent, sent + 65_536));
        sent += 65_536;
      },
    });
    const headers = { Authorization: `Bearer ${project.keys.secret}`, "Content-Type": "application/json" };
    return exports.default.fetch(`https://petrel.example${path}`, { method: "POST", headers, body: pieces });
  }

  const contact = { email: "ada@example.com" };
  const email = (project: TestProject) => ({
    to: "ada@example.com",
    from: `hello@${project.domain}`,
    subject: "Hello",
    body: "<p>Hello</p>",
  });

  it("by its announced length is a 413 that names the limit, and has no effect", async () => {
    const project = await newProject();
    const answer = await call("POST", "/contacts", padded(contact, megabyte + 1), bearer(project.keys.secret));
    expectRefusal(answer, 413, "PAYLOAD_TOO_LARGE", { details: { maxBytes: megabyte } });
    await expectEffects(project, noEffects);
  });

  it("is not, at the limit itself", async () => {
    const project = await newProject();
    const answer = await call("POST", "/contacts", padded(contact, megabyte), bearer(project.keys.secret));
    expect(answer.status).toBe(201);
    expect((await stream(project, "/contacts", padded(contact, megabyte))).status).toBe(200);
  });

  it("as it streams in is a 413 too", async () => {
    const project = await newProject();
    const response = await stream(project, "/contacts", padded(contact, megabyte + 1));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ success: false, error: { code: "PAYLOAD_TOO_LARGE" } });
    await expectEffects(project, noEffects);
  });

  it("counts bytes, not characters", async () => {
    const project = await newProject();
    const body = JSON.stringify({ ...contact, padding: "é".repeat(megabyte / 2) });
    expect((await call("POST", "/contacts", body, bearer(project.keys.secret))).status).toBe(413);
    expect((await stream(project, "/contacts", body)).status).toBe(413);
  });

  it("may be larger for /v1/send, and is refused past its attachment cap × 4/3 + 2 MB", async () => {
    const project = await newProject();
    emailIds(await call("POST", "/v1/send", padded(email(project), sendLimit), bearer(project.keys.secret)));
    const more = await call("POST", "/v1/send", padded(email(project), sendLimit + 1), bearer(project.keys.secret));
    expectRefusal(more, 413, "PAYLOAD_TOO_LARGE", { details: { maxBytes: sendLimit } });
    expect((await stream(project, "/v1/send", padded(email(project), sendLimit + 1))).status).toBe(413);
    expect(await emailRows(project)).toHaveLength(1);
  });

  it("is refused on the operator's routes as well", async () => {
    const answer = await admin.post("/admin/projects", { name: "Acme", padding: "x".repeat(megabyte) });
    expectRefusal(answer, 413, "PAYLOAD_TOO_LARGE", { details: { maxBytes: megabyte } });
  });
});

describe("a disabled project", () => {
  it("can be read and not written: every write is 403 PROJECT_DISABLED", async () => {
    const project = await newProject();
    const contact = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    const [emailId] = emailIds(await project.api.send());
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    for (const path of ["/v1/send", "/contacts", "/domains"]) {
      expectRefusal(await project.api.post(path, {}), 403, "PROJECT_DISABLED");
    }
    for (const path of [`/contacts/${contact.id}`, `/emails/${emailId}`, `/domains/project/${project.id}`]) {
      expect((await project.api.get(path)).status).toBe(200);
    }
  });
});

describe("open to everyone", () => {
  it("is /health, which says that all is well", async () => {
    const before = Date.now();
    const { status, body } = await call("GET", "/health");
    expect(status).toBe(200);
    expect(body).toEqual({ status: "ok", version: expect.stringMatching(/./), time: expect.stringMatching(isoTime) });
    expect(Math.abs(Date.parse(body.time) - before)).toBeLessThan(60_000);
  });

  it("is the API's document and its reference", async () => {
    const document = await call("GET", "/openapi.json");
    expect(document).toMatchObject({ status: 200, body: { openapi: expect.stringMatching(/^3\.1/) } });
    const docs = await call("GET", "/docs/reference");
    expect(docs.status).toBe(200);
    expect(docs.headers.get("Content-Type")).toContain("text/html");
    // Nothing of it comes from a foreign host.
    expect(docs.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it("says sandbox: true, as every send does, when a deployed Worker runs on the outbox", async () => {
    const project = await newProject();
    const settings = { SANDBOX: "true" };
    const health = await callWith(settings, "GET", "/health");
    expect(health.body).toMatchObject({ status: "ok", sandbox: true });
    const body = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>" };
    const sent = await callWith(settings, "POST", "/v1/send", { token: project.keys.secret, body });
    expect(sent.body).toMatchObject({ success: true, sandbox: true });
    expect((await project.api.send()).body).not.toHaveProperty("sandbox");
  });
});

describe("a refusal in the document", () => {
  const exampleOf = async (path: string, method: string, status: number) => {
    const { body } = await call("GET", "/openapi.json");
    const { message, suggestion, code } =
      body.paths[path][method].responses[status].content["application/json"].example.error;
    return { message, suggestion, code };
  };

  it.each<[path: string, method: "post" | "get", status: number, ask: (project: TestProject) => Promise<Answer>]>([
    [
      "/contacts/{id}/snooze",
      "post",
      409,
      async ({ api }) => {
        const { id } = (await api.post("/contacts", { email: "ada@example.com", subscribed: false })).body;
        return api.post(`/contacts/${id}/snooze`, { duration: "3m" });
      },
    ],
    ["/contacts", "get", 400, ({ api }) => api.get("/contacts?cursor=no")],
    ["/contacts/import", "post", 400, (project) => postImport(project, "{}", { "Content-Type": "application/json" })],
  ])("of %s (%s, %i) is the one that a caller gets", async (path, method, status, ask) => {
    const answer = await ask(await newProject());
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject(await exampleOf(path, method, status));
  });
});
