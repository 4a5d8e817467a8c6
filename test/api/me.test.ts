import { describe, expect, it } from "vitest";
import { admin, bearer, call, newProject, setDisabled, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";

async function keyOf(project: TestProject, kind: string, name?: string): Promise<{ id: string; key: string }> {
  return (await admin.post(`/admin/projects/${project.id}/keys`, { kind, name })).body;
}

describe("GET /me", () => {
  it.each(["secret", "read"])("says the project and the %s key of the call", async (kind) => {
    const project = await newProject({ name: "Acme" });
    const { id, key } = await keyOf(project, kind, "server");
    const { status, body } = await call("GET", "/me", undefined, bearer(key));
    expect([status, body]).toEqual([
      200,
      {
        project: { id: project.id, name: "Acme", testClock: false, disabled: false },
        key: { id, kind, name: "server", prefix: key.slice(0, 11) },
      },
    ]);
  });

  it("works for a disabled project, and one with a test clock", async () => {
    const project = await newProject({ testClock: true });
    await setDisabled(project, true);
    const { body } = await project.api.get("/me");
    expect(body.project).toMatchObject({ testClock: true, disabled: true });
  });

  it("is not for a public key", async () => {
    const { keys } = await newProject();
    expectRefusal(await call("GET", "/me", undefined, bearer(keys.public)), 401, "INVALID_API_KEY");
  });
});

describe("a key of kind read", () => {
  it("begins with sk_, and is listed by its kind", async () => {
    const project = await newProject();
    expect((await keyOf(project, "read")).key).toMatch(/^sk_[0-9a-f]{64}$/);
    const { body } = await admin.get(`/admin/projects/${project.id}/keys`);
    expect(body.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(["public", "read", "secret"]);
  });

  it("reads", async () => {
    const project = await newProject();
    const { id } = (await project.api.post("/contacts", { email: "ada@example.com" })).body;
    const condition = { logic: "AND", groups: [{ filters: [{ field: "email", operator: "exists" }] }] };
    const read = bearer((await keyOf(project, "read")).key);
    const calls: [method: string, path: string, body?: unknown][] = [
      ["GET", "/contacts"],
      ["GET", `/contacts/${id}`],
      ["GET", "/templates"],
      ["POST", "/contacts/lookup", { emails: ["ada@example.com"] }],
      ["POST", "/segments/preview", { condition }],
    ];
    for (const [method, path, body] of calls) {
      expect((await call(method, path, body, read)).status, path).toBe(200);
    }
  });

  it.each([
    ["POST", "/v1/send"],
    ["POST", "/events/track"],
    ["POST", "/contacts"],
    ["PATCH", "/contacts/x"],
    ["DELETE", "/contacts/x"],
    ["POST", "/contacts/import"],
    ["POST", "/campaigns"],
    ["POST", "/webhooks"],
    ["POST", "/domains"],
  ])("is refused what may change something: %s %s", async (method, path) => {
    const project = await newProject();
    const { key } = await keyOf(project, "read");
    expectRefusal(await call(method, path, { email: "ada@example.com" }, bearer(key)), 403, "READ_ONLY_KEY");
    expect((await project.api.get("/contacts")).body.total).toBe(0);
  });

  it("does not hold an idempotency key that a secret key needs, nor shows its answer", async () => {
    const project = await newProject();
    const { key } = await keyOf(project, "read");
    const once = { "Idempotency-Key": "order-1" };
    const mail = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "<p>Hi</p>" };
    const send = (token: string) => call("POST", "/v1/send", mail, { headers: { ...bearer(token).headers, ...once } });
    expectRefusal(await send(key), 403, "READ_ONLY_KEY");
    expect((await send(project.keys.secret)).status).toBe(200);
    expectRefusal(await send(key), 403, "READ_ONLY_KEY");
  });

  it("is told of an unknown path and a wrong method like any other, and is not for /v1/track", async () => {
    const project = await newProject();
    const read = bearer((await keyOf(project, "read")).key);
    expect((await call("POST", "/nothing", {}, read)).status).toBe(404);
    expect((await call("PUT", "/contacts", {}, read)).status).toBe(405);
    expect((await call("POST", "/v1/track", {}, read)).status).toBe(401);
  });
});
