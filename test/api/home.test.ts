import { describe, expect, it } from "vitest";
import { bearer, call, newProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { callWith } from "../support/with-settings";

const html = { headers: { Accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" } };

describe("/", () => {
  it("is a page for a browser", async () => {
    const { status, headers, body } = await call("GET", "/", undefined, html);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(headers.get("Vary")).toBe("Accept");
    for (const path of ["/docs", "/docs/reference", "/openapi.json", "/outbox", "/health"])
      expect(body).toContain(`href="${path}"`);
  });

  it("is JSON for a program", async () => {
    const { status, body } = await call("GET", "/");
    expect(status).toBe(200);
    const documents = { docs: "/docs", reference: "/docs/reference", openapi: "/openapi.json" };
    const links = { ...documents, outbox: "/outbox", health: "/health" };
    expect(body).toEqual({ name: "Petrel", version: "1.0.0", ...links });
  });

  it("names no outbox where there is none", async () => {
    const settings = { MAIL_PROVIDER: "postmark", POSTMARK_SERVER_TOKEN: "token" };
    expect((await callWith(settings, "GET", "/")).body).not.toHaveProperty("outbox");
  });
});

it.each([
  ["/favicon.ico", "image/x-icon"],
  ["/favicon.svg", "image/svg+xml"],
  ["/robots.txt", "text/plain; charset=UTF-8"],
])("serves %s to everyone", async (path, type) => {
  const { status, headers } = await call("GET", path, undefined, html);
  expect([status, headers.get("Content-Type")]).toEqual([200, type]);
});

describe("a path that nobody knows", () => {
  it.each(["/nothing", "/v1/nothing", "/admin/nothing", "/docs/nothing"])(
    "%s is a page for a browser",
    async (path) => {
      const { status, headers, body } = await call("GET", path, undefined, html);
      expect(status).toBe(404);
      expect(headers.get("Content-Type")).toMatch(/^text\/html/);
      expect(body).toContain("There is no such page");
      expect(body).not.toContain(path);
    },
  );

  it("is an error envelope for a program, with a key, and for a change", async () => {
    const { keys } = await newProject();
    expectRefusal(await call("GET", "/nothing"), 401, "INVALID_API_KEY");
    expectRefusal(await call("POST", "/nothing", {}, html), 401, "INVALID_API_KEY");
    const keyed = { headers: { ...html.headers, ...bearer(keys.secret).headers } };
    expectRefusal(await call("GET", "/nothing", undefined, keyed), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "route", id: "/nothing" },
    });
  });

  it("is none where another method is known", async () => {
    expectRefusal(await call("GET", "/v1/send", undefined, html), 401, "INVALID_API_KEY");
    expectRefusal(await call("GET", "/contacts", undefined, html), 401, "INVALID_API_KEY");
  });
});
