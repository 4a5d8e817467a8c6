import { expect, it } from "vitest";
import { fromBase64url, toBase64url } from "../../src/core/base64url";

it("writes what everybody writes, of any length, and reads it", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    const standard = btoa(String.fromCharCode(...bytes));
    const written = standard.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    expect(toBase64url(bytes)).toBe(written);
    expect(fromBase64url(written)).toEqual(bytes);
  }
});
