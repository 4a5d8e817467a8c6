import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call } from "../support/project";
import { signedIn } from "../support/visitor";
import { callWith } from "../support/with-settings";

const { body: document } = await call("GET", "/openapi.json");
const documented = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
);
const none = "0199a0f2-0000-7000-8000-000000000000";
const isOfConsole = (path: string) =>
  path.startsWith("/console/") || /^\/admin\/(projects\/\{id\}\/)?people/.test(path);
const pages = [
  ["GET", "/console"],
  ["GET", `/console/p/${none}`],
  ["GET", `/console/p/${none}/emails`],
  ["GET", `/console/p/${none}/emails/${none}`],
  ["GET", "/console/assets/index.js"],
  ["POST", "/console/preview"],
  ["GET", `/console/session/link/${"0".repeat(64)}`],
  ["POST", `/console/session/link/${"0".repeat(64)}`],
] as const;

describe("while the console is closed", () => {
  const routes = [...documented.filter(([, path]) => isOfConsole(path)), ...pages];

  it("covers the console and its people", () => {
    expect(routes.length).toBeGreaterThan(20);
  });

  it.each(routes)("there is no %s %s, for a session or for the operator", async (method, path) => {
    const owner = await signedIn("owner");
    const url = path.replace(/\{\w+\}/g, none);
    const body = method === "GET" || method === "DELETE" ? undefined : {};
    const closed = { CONSOLE_ENABLED: "false" };
    const ways = path.startsWith("/admin") ? [{ token: env.ADMIN_TOKEN ?? "" }] : [{ headers: owner.headers() }, {}];
    for (const way of ways) expect((await callWith(closed, method, url, { ...way, body })).status).toBe(404);
  });

  it("a session opens no project, and none of the operator's routes", async () => {
    const owner = await signedIn("owner");
    const closed = { CONSOLE_ENABLED: "false" };
    const headers = { ...owner.headers(), "Petrel-Project": none };
    expect((await callWith(closed, "GET", "/contacts", { headers })).status).toBe(401);
    expect((await callWith(closed, "GET", "/admin/projects", { headers })).status).toBe(401);
  });
});
