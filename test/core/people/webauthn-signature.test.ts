import { createSign, createVerify, generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
// @ts-expect-error The bundle takes it in place of a file of a package, and it has no types.
import { unwrapEC2Signature } from "../../../scripts/bundle/webauthn-signature.mjs";

const p256 = 1;

it("reads the two numbers of ECDSA signatures, also short and long ones", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  for (let turn = 0; turn < 300; turn++) {
    const der = createSign("sha256").update(`${turn}`).sign(privateKey);
    const raw: Uint8Array = unwrapEC2Signature(der, p256);
    expect(raw).toHaveLength(64);
    const key = { key: publicKey, dsaEncoding: "ieee-p1363" as const };
    expect(createVerify("sha256").update(`${turn}`).verify(key, raw)).toBe(true);
  }
});

const sound = [0x30, 6, 2, 1, 5, 2, 1, 7];
const malformed: [what: string, bytes: number[]][] = [
  ["nothing", []],
  ["another kind of value", [0x31, ...sound.slice(1)]],
  ["a length of more than there is", [0x30, 7, ...sound.slice(2)]],
  ["bytes behind it", [...sound, 0]],
  ["one number", [0x30, 3, 2, 1, 5]],
  ["three numbers", [0x30, 9, 2, 1, 5, 2, 1, 7, 2, 1, 9]],
  ["a number that ends behind it", [0x30, 6, 2, 1, 5, 2, 2, 7]],
  ["a number without digits", [0x30, 5, 2, 1, 5, 2, 0]],
  ["a number that is no integer", [0x30, 6, 2, 1, 5, 3, 1, 7]],
  ["a number that is too large", [0x30, 38, 2, 33, ...new Array(33).fill(9), 2, 1, 7]],
];

it.each(malformed)("refuses %s", (_, bytes) => {
  expect(() => unwrapEC2Signature(Uint8Array.from(bytes), p256)).toThrow("not an ECDSA signature");
});

it("refuses a curve that it does not know", () => {
  expect(() => unwrapEC2Signature(Uint8Array.from(sound), 9)).toThrow("not an ECDSA signature");
});
