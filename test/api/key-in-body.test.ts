import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import worker from "../../src/index";
import { effects, expectEffects, noEffects } from "../support/effects";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { callWith } from "../support/with-settings";

const said = { email: "ada@example.com", event: "left" };

/** As a browser sends `navigator.sendBeacon(url, text)`. */
function beacon(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return call("POST", "/v1/track", sent, { headers: { "Content-Type": "text/plain;charset=UTF-8", ...headers } });
}

describe("a public key in the body of /v1/track", () => {
  it.each(["text/plain;charset=UTF-8", "text/plain", "application/json", "application/octet-stream"])(
    "is taken in %s, and is no unknown field",
    async (type) => {
      const project = await newProject();
      const origin = { Origin: "null", "Content-Type": type };
      const { status, headers, body } = await beacon({ ...said, key: project.keys.public }, origin);
      expect(status).toBe(200);
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(Object.keys(body)).toEqual(["success", "data"]);
      expect(await eventCounts(project)).toEqual({ left: 1 });
      const event = await project.api.get("/events");
      expect(event.body.data[0]).toMatchObject({ name: "left", source: "PUBLIC", data: {} });
      const contact = await project.api.get(`/contacts/${body.data.contact}`);
      expect(contact.body).toMatchObject({ source: "PUBLIC", data: {} });
    },
  );

  it("yields to the Authorization header, whatever that says", async () => {
    const [one, other] = [await newProject(), await newProject()];
    const answer = await beacon({ ...said, key: other.keys.public }, bearer(one.keys.public).headers);
    expect(answer.status).toBe(200);
    expect(answer.body.warnings).toBeUndefined();
    expect([await eventCounts(one), await eventCounts(other)]).toEqual([{ left: 1 }, {}]);
    for (const Authorization of ["Bearer pk_0", "Basic x", "Bearer"]) {
      const refused = await beacon({ ...said, key: other.keys.public }, { Authorization });
      expectRefusal(refused, 401, "INVALID_API_KEY");
    }
    expect(await eventCounts(other)).toEqual({});
  });

  it("is refused as a secret one, and shown nowhere", async () => {
    const project = await newProject();
    const log = vi.spyOn(console, "log");
    const warn = vi.spyOn(console, "warn");
    const failed = vi.spyOn(console, "error");
    const answer = await beacon({ ...said, key: project.keys.secret });
    expectRefusal(answer, 401, "INVALID_API_KEY");
    const written = [log, warn, failed].flatMap((spy) => spy.mock.calls);
    expect(JSON.stringify([answer.body, written])).not.toContain(project.keys.secret.slice(11));
    await expectEffects(project, noEffects);
  });

  it.each<[string, (project: TestProject) => unknown]>([
    ["no key", () => said],
    ["an empty one", () => ({ ...said, key: "" })],
    ["a number", () => ({ ...said, key: 42 })],
    ["one that nobody has", () => ({ ...said, key: `pk_${"0".repeat(64)}` })],
    ["one of another form", () => ({ ...said, key: "pk_x" })],
    ["one in a list", ({ keys }) => [{ ...said, key: keys.public }]],
    ["no JSON", ({ keys }) => `{"key":"${keys.public}"`],
    ["nothing", () => ""],
  ])("with %s is 401", async (_, bodyOf) => {
    const project = await newProject();
    expectRefusal(await beacon(bodyOf(project)), 401, "INVALID_API_KEY");
    await expectEffects(project, noEffects);
  });

  it("with bytes that are no text is 401", async () => {
    const request = new Request<unknown, IncomingRequestCfProperties>("https://petrel.example/v1/track", {
      method: "POST",
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect((await worker.fetch(request, env, createExecutionContext())).status).toBe(401);
  });

  it("is looked for in 32 KB, and no further", async () => {
    const project = await newProject();
    const tooLong = JSON.stringify({ key: project.keys.public, ...said, padding: "x".repeat(32 * 1024) });
    expectRefusal(await beacon(tooLong), 413, "PAYLOAD_TOO_LARGE", { details: { maxBytes: 32 * 1024 } });
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(4 * 1024).fill(0x20));
      },
    });
    const init = { method: "POST", body: endless };
    const request = new Request<unknown, IncomingRequestCfProperties>("https://petrel.example/v1/track", init);
    expect((await worker.fetch(request, env, createExecutionContext())).status).toBe(413);
    // 32 KB are eight of them.
    expect(pulled).toBeLessThan(12);
    await expectEffects(project, noEffects);
  });

  it("comes in a body of unknown length too", async () => {
    const project = await newProject();
    const text = JSON.stringify({ ...said, key: project.keys.public });
    const body = new Blob([text]).stream();
    const request = new Request<unknown, IncomingRequestCfProperties>("https://petrel.example/v1/track", {
      method: "POST",
      body,
    });
    expect((await worker.fetch(request, env, createExecutionContext())).status).toBe(200);
    expect(await eventCounts(project)).toEqual({ left: 1 });
  });

  it("has all that holds of a public key: rates, idempotency, opt-outs, a disabled project", async () => {
    const project = await newProject();
    const key = project.keys.public;
    const limits = { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_TRACK_PER_SECOND: "1", RATE_LIMIT_TRACK_BURST: "2" };
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++)
      statuses.push((await callWith(limits, "POST", "/v1/track", { body: { ...said, key } })).status);
    expect(statuses).toEqual([200, 200, 429]);

    const once = { "Idempotency-Key": "page-1" };
    expect((await beacon({ ...said, key }, once)).status).toBe(200);
    expect((await beacon({ ...said, key }, once)).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED");
    // The header's caller is the same one.
    const again = await beacon(said, { ...bearer(key).headers, ...once });
    expect(again.body.error.code).toBe("IDEMPOTENCY_KEY_REUSED");

    expectInvalid(await beacon({ event: "left", key }), "email", "required");
    expectInvalid(await beacon({ ...said, event: "email.sent", key }), "event", "reserved_event");
    const before = await effects(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await beacon({ ...said, key }), 403, "PROJECT_DISABLED");
    expect(await effects(project)).toEqual(before);
  });

  it("comes with an idempotency key, which counts as the header does", async () => {
    const project = await newProject();
    const event = { ...said, key: project.keys.public, idempotencyKey: "visit-1" };
    const first = await beacon(event);
    expect(first.body.warnings).toBeUndefined();
    const again = await beacon(event);
    expect(again.body.error).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED", statusCode: 409 });
    expect(again.body.error.details).toMatchObject({ sameRequest: true, originalResponse: first.body });
    const other = await beacon({ ...event, event: "came" });
    expect(other.body.error.details).toMatchObject({ sameRequest: false });
    expect((await beacon({ ...event, idempotencyKey: "visit-2" })).status).toBe(200);
    expect(await eventCounts(project)).toEqual({ left: 2 });

    const bad = await beacon({ ...event, idempotencyKey: "é" });
    expectRefusal(bad, 400, "INVALID_IDEMPOTENCY_KEY");
    expect(bad.body.error.message).toMatch(/^idempotencyKey in the body must be 1 to 255 /);
    expectInvalid(await beacon({ ...event, idempotencyKey: 1 }), "idempotencyKey", "invalid_type");
    // A call with headers has it there.
    const withHeaders = await beacon(event, bearer(project.keys.public).headers);
    expect([withHeaders.status, withHeaders.body.warnings]).toMatchObject([200, [{ field: "idempotencyKey" }]]);
    const both = await beacon(event, { "Idempotency-Key": "visit-3" });
    expect([both.status, both.body.warnings]).toMatchObject([200, [{ field: "idempotencyKey" }]]);
    expect(await eventCounts(project)).toEqual({ left: 4 });
  });

  it("is braked before the body is read", async () => {
    const refusing = { limit: async () => ({ success: false }) };
    const { public: key } = (await newProject()).keys;
    const braked = await callWith({ FLOOD_BRAKE: refusing, FLOOD_BRAKE_ENABLED: "true" }, "POST", "/v1/track", {
      body: { ...said, key },
      headers: { "CF-Connecting-IP": "192.0.2.1" },
    });
    expect(braked.body.error.details).toMatchObject({ bucket: "flood" });
  });

  it("counts on no other route", async () => {
    const { keys } = await newProject();
    for (const path of ["/v1/send", "/v1/verify", "/events/track", "/contacts"]) {
      for (const key of [keys.public, keys.secret])
        expectRefusal(await call("POST", path, { ...said, key }), 401, "INVALID_API_KEY");
    }
  });
});
