import { describe, expect, it } from "vitest";
import { generateKey, hashKey, type KeyKind, keyKind, keyPrefix, sameSecret } from "../../src/core/keys";

const hex64 = "0123456789abcdef".repeat(4);

describe("generateKey", () => {
  it.each<[kind: KeyKind, pattern: RegExp]>([
    ["secret", /^sk_[0-9a-f]{64}$/],
    ["public", /^pk_[0-9a-f]{64}$/],
  ])("makes a %s key of 32 bytes in lower-case hex", (kind, pattern) => {
    const key = generateKey(kind);
    expect(key).toMatch(pattern);
    expect(keyKind(key)).toBe(kind);
  });

  it("never makes the same key twice", () => {
    const keys = Array.from({ length: 1000 }, () => generateKey("secret"));
    expect(new Set(keys).size).toBe(1000);
  });
});

describe("keyKind", () => {
  it.each<[key: string, kind: KeyKind | null]>([
    [`sk_${hex64}`, "secret"],
    [`pk_${hex64}`, "public"],
    [`SK_${hex64}`, null],
    [`xk_${hex64}`, null],
    [`sk-${hex64}`, null],
    [`sk_${hex64.toUpperCase()}`, null],
    [`sk_${hex64.slice(1)}`, null],
    [`sk_${hex64}0`, null],
    [`sk_${hex64}\n`, null],
    [` sk_${hex64}`, null],
    [`Bearer sk_${hex64}`, null],
    [`sk_${"g".repeat(64)}`, null],
    ["sk_", null],
    ["", null],
    [hex64, null],
  ])("%j: %s", (key, kind) => {
    expect(keyKind(key)).toBe(kind);
  });
});

it.each<KeyKind>(["secret", "public"])(
  "shows eight of the 64 digits of a %s key, so that nobody can use what is shown",
  (kind) => {
    const key = generateKey(kind);
    expect(keyPrefix(key)).toBe(key.slice(0, 11));
    expect(keyPrefix(key)).toMatch(/^[sp]k_[0-9a-f]{8}$/);
  },
);

describe("hashKey", () => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["é", "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"],
  ])("of %j is its SHA-256 in hex", async (key, hash) => {
    expect(await hashKey(key)).toBe(hash);
  });
});

describe("sameSecret", () => {
  it.each<[given: string, expected: string, same: boolean]>([
    ["token", "token", true],
    ["", "", true],
    ["token", "Token", false],
    ["token", "token ", false],
    ["toke", "token", false],
    ["", "token", false],
    ["tokén", "tokén", true],
  ])("%j and %j: %s", async (given, expected, same) => {
    expect(await sameSecret(given, expected)).toBe(same);
  });
});
