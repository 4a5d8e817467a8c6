import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fromBase64url } from "../../../src/core/base64url";
import { newId } from "../../../src/core/ids";
import { readClickToken, readPixelToken, signDestination, signMail } from "../../../src/core/tracking/token";

const old = "an-old-secret-of-at-least-32-characters";
const current = "the-current-secret-of-32-characters-too";
const mail = { projectId: 1_795_350_868_313, emailId: newId() };
const url = "https://shop.example/sale?item=1&é=🐦#top";

function clickToken({ secret = current, projectId = mail.projectId, number = 7, to = url } = {}): string {
  return signMail(secret, mail) + signDestination(secret, projectId, number, to);
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The token with each letter changed in turn. */
function* tampered(token: string): Generator<string> {
  for (const [index, letter] of [...token].entries()) {
    const other = letters[(letters.indexOf(letter) + 1) % 64];
    yield token.slice(0, index) + other + token.slice(index + 1);
  }
}

describe("a click's token", () => {
  it("says the mail, the number of the link and the URL", () => {
    expect(clickToken()).toMatch(/^[\w-]+$/);
    expect(readClickToken([current], clickToken())).toEqual({ ...mail, number: 7, url });
  });

  it("is the same each time, so that every try of a mail says the same", () => {
    expect(clickToken()).toBe(clickToken());
  });

  it("is an HMAC-SHA256, cut, over everything that it says", () => {
    const bytes = fromBase64url(clickToken()) ?? new Uint8Array();
    const mac = (signed: Uint8Array) => createHmac("sha256", current).update(signed).digest();
    expect(bytes.slice(24, 39)).toEqual(new Uint8Array(mac(bytes.slice(0, 24)).subarray(0, 15)));
    const signed = new Uint8Array([2, 2, ...bytes.slice(2, 8), ...bytes.slice(39, 41), ...bytes.slice(57)]);
    expect(bytes.slice(41, 57)).toEqual(new Uint8Array(mac(signed).subarray(0, 16)));
  });

  it("is none with any one letter changed, cut or added", () => {
    const token = clickToken();
    for (const other of tampered(token)) expect(readClickToken([current], other), other).toBeNull();
    for (let length = 0; length < token.length; length++) {
      expect(readClickToken([current], token.slice(0, length))).toBeNull();
    }
    for (const more of ["A", "=", "%", ".", " ", "\n", "AAAA"])
      expect(readClickToken([current], token + more)).toBeNull();
    expect(readClickToken([current], "A".repeat(3_000))).toBeNull();
  });

  it("is none with the link of another project", () => {
    expect(readClickToken([current], clickToken({ projectId: 5 }))).toBeNull();
  });
});

describe("a pixel's token", () => {
  it("says the mail", () => {
    expect(readPixelToken([current], signMail(current, mail))).toEqual(mail);
  });

  it("is none with any one letter changed, cut or added", () => {
    const token = signMail(current, mail);
    for (const other of tampered(token)) expect(readPixelToken([current], other), other).toBeNull();
    for (const other of [token.slice(0, -1), `${token}A`, ""]) expect(readPixelToken([current], other)).toBeNull();
  });

  it("is no click's, which has a destination, and no click's is one", () => {
    expect(readClickToken([current], signMail(current, mail))).toBeNull();
    expect(readPixelToken([current], clickToken())).toBeNull();
  });

  it("is no destination's, and no destination's is one", () => {
    const destination = signDestination(current, mail.projectId, 1, url);
    expect(readPixelToken([current], destination.slice(0, signMail(current, mail).length))).toBeNull();
    expect(readClickToken([current], destination + destination)).toBeNull();
    expect(readClickToken([current], signMail(current, mail) + signMail(current, mail))).toBeNull();
  });
});

it("verifies under each secret, so that they can be rotated", () => {
  const before = clickToken({ secret: old });
  expect(readClickToken([current, old], before)).toMatchObject({ url });
  expect(readClickToken([current], before)).toBeNull();
  expect(readClickToken([], before)).toBeNull();
  expect(readPixelToken([current, old], signMail(old, mail))).toEqual(mail);
});
