import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bearer, call, newProject } from "../support/project";
import { callWith } from "../support/with-settings";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the headers of every JSON answer", () => {
  it.each([
    ["an answer", "GET", "/contacts", 200],
    ["an answer without a key", "GET", "/health", 200],
    ["a refusal", "POST", "/v1/send", 422],
    ["an unknown path", "GET", "/nothing-here", 404],
  ])("keep caches and guesses away: %s", async (_, method, path, status) => {
    const { keys } = await newProject();
    const answer = await call(method, path, method === "POST" ? {} : undefined, bearer(keys.secret));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  it("also without a valid key", async () => {
    const { headers, status } = await call("GET", "/contacts");
    expect([status, headers.get("X-Content-Type-Options"), headers.get("Cache-Control")]).toEqual([
      401,
      "nosniff",
      "no-store",
    ]);
  });

  it("let caches keep what is the same for everybody", async () => {
    for (const path of ["/openapi.json", "/docs", "/docs/sending.md", "/docs/reference", "/llms.txt", "/favicon.svg"]) {
      expect((await call("GET", path)).headers.get("Cache-Control") ?? "").not.toContain("no-store");
    }
  });

  it("hold browsers to https where it is, on pages too", async () => {
    for (const path of ["/health", "/docs", "/docs/reference", "/unsubscribe/x", "/contacts"]) {
      expect((await call("GET", path)).headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
    }
  });
});

describe("the log of requests", () => {
  const inProduction = async (method: string, path: string, token?: string) => {
    const said = vi.spyOn(console, "log").mockImplementation(() => {});
    const { status, headers } = await callWith({ ENVIRONMENT: "production" }, method, path, { token });
    const lines = said.mock.calls.map(([line]) => JSON.parse(String(line)));
    return { status, requestId: headers.get("X-Request-ID"), lines };
  };

  it.each([
    ["GET", "/unsubscribe/a-secret-token", "/unsubscribe/:token", 404],
    ["GET", "/contacts?email=ada@example.com", "/contacts", 401],
    ["GET", "/ada@example.com", "none", 401],
    ["GET", "/health", "/health", 200],
  ])("says route and status, and neither tokens nor addresses: %s %s", async (method, path, route, status) => {
    const { lines, requestId } = await inProduction(method, path);
    expect(lines).toEqual([{ level: "info", message: "Request", requestId, method, route, status }]);
  });

  it("says it of a failure in a handler too", async () => {
    const { status, lines } = await inProduction("GET", "/admin/projects?limit=x", env.ADMIN_TOKEN);
    expect(status).toBe(422);
    expect(lines).toMatchObject([{ route: "/admin/projects", status: 422 }]);
  });
});
