import { describe, expect, it } from "vitest";
import { type OutboundCall, redirected } from "../../../src/core/outbound/redirect";

const from = new URL("https://example.com/hooks/1?x=y");
const call: OutboundCall = {
  url: from.href,
  method: "POST",
  headers: { "Content-Type": "application/json", Authorization: "Bearer a", "webhook-signature": "v1,b", Cookie: "c" },
  body: "{}",
};

describe("a redirect", () => {
  it.each([307, 308])("%i repeats the call at the same origin, with all its headers", (status) => {
    expect(redirected(call, from, status, "/elsewhere")).toEqual({ ...call, url: "https://example.com/elsewhere" });
  });

  it.each([301, 302, 303])("%i makes a GET of a POST, without its body", (status) => {
    const { "Content-Type": _, ...headers } = call.headers;
    expect(redirected(call, from, status, "2")).toEqual({
      url: "https://example.com/hooks/2",
      method: "GET",
      headers,
      body: null,
    });
  });

  it.each([301, 302, 303])("%i is not followed by a call that needs its body", (status) => {
    const needing = { ...call, needsBody: true };
    expect(redirected(needing, from, status, "2")).toBe(
      `It redirects with ${status}, which would drop the event: use the URL that it redirects to.`,
    );
    expect(redirected(needing, from, 307, "2")).toEqual({ ...needing, url: "https://example.com/hooks/2" });
  });

  it.each([
    "https://other.com/",
    "https://www.example.com/",
    "https://example.com:8443/",
    "//other.com/x",
    "https://example.com.evil.com/",
  ])("carries no credentials and no signature to another origin: %s", (location) => {
    expect(redirected(call, from, 307, location)).toMatchObject({
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
  });

  it("does not get them back at the first origin", () => {
    const away = redirected(call, from, 307, "https://other.com/");
    if (typeof away === "string") throw new Error(away);
    expect(redirected(away, new URL(away.url), 307, from.href)).toMatchObject({
      url: from.href,
      headers: { "Content-Type": "application/json" },
    });
  });

  it("leaves an absolute address as it was written, for the judge", () => {
    expect(redirected(call, from, 307, "https://a@0x7f.1/")).toMatchObject({ url: "https://a@0x7f.1/" });
    expect(redirected(call, from, 307, "https:\\\\127.1")).toMatchObject({ url: "https:\\\\127.1" });
  });

  it.each([null, "http://[::1", "https://"])("is not followed to %s", (location) => {
    expect(redirected(call, from, 302, location)).toMatch(/without saying where to/);
  });

  it("is not followed from https: to http:", () => {
    expect(redirected(call, from, 307, "http://example.com/")).toMatch(/from https: to http:/);
  });
});
