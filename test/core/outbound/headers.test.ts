import { describe, expect, it } from "vitest";
import { headerFault } from "../../../src/core/outbound/headers";

describe("a header that a tenant may not set", () => {
  it.each([
    ...["Host", "host", "HOST", "Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer"],
    ...[
      "Transfer-Encoding",
      "Upgrade",
      "Content-Length",
      "Expect",
      "CF-Connecting-IP",
      "cf-ray",
      "Cf-Worker",
      "CDN-Loop",
    ],
    ...["X-Forwarded-For", "x-forwarded-host", "Forwarded", "Via", "X-Real-IP", "Sec-Fetch-Site"],
    ...["", "Two Words", "X:Y", "X\r\nY", "X\nY", "Ünicode", "X\u0000", "(x)"],
  ])("%j", (name) => {
    expect(headerFault(name, "value")).toMatch(/.+/);
  });

  it.each(["a\r\nHost: b", "a\nb", "a\rb", "a\u0000b", "a\u007fb", "snow ☃", "a\u0085b", "x".repeat(4_097)])(
    "by its value: %j",
    (value) => {
      expect(headerFault("X-Custom", value)).toMatch(/^The header X-Custom /);
    },
  );
});

describe("a header that a tenant may set", () => {
  it.each([
    ["Authorization", "Bearer abc"],
    ["Content-Type", "application/json; charset=utf-8"],
    ["X-Custom", ""],
    ["X-Custom", "tab\there, café"],
    ["Cookie", "a=b"],
    ["hosted-by", "us"],
    ["cfo", "x"],
  ])("%s: %s", (name, value) => {
    expect(headerFault(name, value)).toBeNull();
  });
});
