import { describe, expect, it } from "vitest";
import { bearer, call, newProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { callWith } from "../support/with-settings";

const prefixes = ["", "/", "/v1", "/v1/", "/api", "/api/v1", "/api/v1/", "//api//v1"];

describe.each(prefixes)("under the base URL %j of a Plunk client", (prefix) => {
  it("sends, once for an idempotency key, whatever the address", async () => {
    const project = await newProject();
    const mail = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "<p>Hi</p>" };
    const keyed = { headers: { ...bearer(project.keys.secret).headers, "Idempotency-Key": "order-1" } };
    expect((await call("POST", `${prefix}/send`, mail, keyed)).status).toBe(200);
    const again = await call("POST", "/v1/send", mail, keyed);
    expectRefusal(again, 409, "IDEMPOTENCY_KEY_REUSED", { details: expect.anything() });
    expect(again.body.error.details.originalRequest).toBe("POST /v1/send");
    expect((await project.api.get("/emails")).body.total).toBe(1);
  });

  it("tracks with a public key, and tells a secret key where it belongs", async () => {
    const project = await newProject();
    const event = { email: "ada@example.com", event: "purchase" };
    const tracked = await call("POST", `${prefix}/track`, event, bearer(project.keys.public));
    expect([tracked.status, tracked.headers.get("Access-Control-Allow-Origin")]).toEqual([200, "*"]);
    const refused = await call("POST", `${prefix}/track`, event, bearer(project.keys.secret));
    expectRefusal(refused, 401, "INVALID_API_KEY");
    expect(refused.body.error.suggestion).toContain("POST /events/track");
  });

  it("keeps the limits of the route, and answers a browser's preflight", async () => {
    const project = await newProject();
    const preflight = await call("OPTIONS", `${prefix}/track`);
    expect([preflight.status, preflight.headers.get("Access-Control-Allow-Methods")]).toEqual([204, "POST,OPTIONS"]);
    const large = { email: "ada@example.com", event: "purchase", data: { note: "x".repeat(40_000) } };
    const refused = await call("POST", `${prefix}/track`, large, bearer(project.keys.public));
    expect([refused.status, refused.body.error.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const limits = { RATE_LIMIT_ENABLED: "true" };
    const body = { email: "ada@example.com", event: "purchase" };
    const limited = await callWith(limits, "POST", `${prefix}/track`, { token: project.keys.public, body });
    expect(limited.headers.get("RateLimit-Limit")).toBe("200");
  });
});

it("has no other endpoint there", async () => {
  const { api } = await newProject();
  for (const path of ["/api/contacts", "/api/v1/contacts", "/v2/send", "/api/v1/send/x", "/xsend"]) {
    expect((await api.post(path, {})).status, path).toBe(404);
  }
  expect((await api.get("/send")).status).toBe(405);
});
