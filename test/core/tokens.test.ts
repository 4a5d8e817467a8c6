import { describe, expect, it } from "vitest";
import { fromBase64url } from "../../src/core/base64url";
import { newId } from "../../src/core/ids";
import { readToken, signToken, type TokenPurpose } from "../../src/core/tokens";
import { signMail } from "../../src/core/tracking/token";

const old = "an-old-secret-of-at-least-32-characters";
const current = "the-current-secret-of-32-characters-too";
const subject = { projectId: crypto.randomUUID(), contactId: newId(), emailId: newId() };
const purposes: TokenPurpose[] = ["unsubscribe", "subscribe", "manage"];

describe("a signed token", () => {
  it.each(purposes)("says whose link it is: %s", async (purpose) => {
    const token = signToken([current], purpose, subject);
    expect(token).toMatch(/^[A-Za-z0-9_-]{110}$/);
    expect(await readToken([current], purpose, token)).toEqual(subject);
  });

  it.each(purposes)("of mail of a topic says which, and is bound to it: %s", async (purpose) => {
    const ofTopic = { ...subject, topicId: newId() };
    const token = signToken([current], purpose, ofTopic);
    expect(token).toMatch(/^[A-Za-z0-9_-]{131}$/);
    expect(await readToken([old, current], purpose, token)).toEqual(ofTopic);
    const plain = signToken([current], purpose, subject);
    // The layout of one with the ids of the other.
    expect(await readToken([current], purpose, `Aw${plain.slice(2)}`)).toBeNull();
    expect(await readToken([current], purpose, `AQ${token.slice(2)}`)).toBeNull();
    expect(await readToken([current], purpose, plain.slice(0, 67) + token.slice(67))).toBeNull();
  });

  it("begins like no other kind of token", () => {
    const ofTopic = { ...subject, topicId: newId() };
    const all = [...purposes, "confirm" as const].flatMap((purpose) =>
      [subject, ofTopic].map((owner) => signToken([current], purpose, owner)),
    );
    all.push(signMail(current, { projectId: 1, emailId: newId() }));
    const kinds = all.map((token) => fromBase64url(token)?.[0]);
    expect([...new Set(kinds.slice(0, -1))].toSorted()).toEqual([1, 3]);
    expect(kinds.at(-1)).toBe(2);
  });

  it("is the same each time, so that every try of a mail says the same", () => {
    expect(signToken([current], "manage", subject)).toBe(signToken([current], "manage", subject));
  });

  it("is none for another purpose", async () => {
    for (const signed of purposes) {
      const token = signToken([current], signed, subject);
      for (const asked of purposes.filter((purpose) => purpose !== signed)) {
        expect(await readToken([current], asked, token)).toBeNull();
      }
    }
  });

  it("is bound to its project, contact and email", () => {
    const tokens = new Set<string>();
    for (const other of [subject, { ...subject, projectId: crypto.randomUUID() }, { ...subject, contactId: newId() }]) {
      tokens.add(signToken([current], "unsubscribe", other).slice(-43));
    }
    expect(tokens.size).toBe(3);
  });
});

describe("rotating the secret", () => {
  it("keeps old links working, and signs new ones with the first", async () => {
    const before = signToken([old], "unsubscribe", subject);
    expect(await readToken([current, old], "unsubscribe", before)).toEqual(subject);
    const after = signToken([current, old], "unsubscribe", subject);
    expect(await readToken([old], "unsubscribe", after)).toBeNull();
    expect(await readToken([current], "unsubscribe", after)).toEqual(subject);
  });

  it("ends old links once their secret is gone", async () => {
    const before = signToken([old], "unsubscribe", subject);
    expect(await readToken([current], "unsubscribe", before)).toBeNull();
    expect(await readToken([], "unsubscribe", before)).toBeNull();
  });

  it("cannot sign without a secret", () => {
    expect(() => signToken([], "unsubscribe", subject)).toThrow("no secret");
  });
});

describe("what we did not write is no token", () => {
  it("not with any one character changed", async () => {
    const token = signToken([current], "unsubscribe", subject);
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expect(await readToken([current], "unsubscribe", changed), `character ${at}`).toBeNull();
    }
  });

  it.each([
    "",
    "preview",
    "a",
    "====",
    "../../etc",
    "é".repeat(110),
    "A".repeat(110),
    "A".repeat(109),
    "A".repeat(1e6),
  ])("not %j", async (written) => {
    expect(await readToken([current], "unsubscribe", written)).toBeNull();
  });

  it("not with something at its end", async () => {
    const token = signToken([current], "unsubscribe", subject);
    for (const more of ["A", "AA", "AAAA", "=", " ", "\n"]) {
      expect(await readToken([current], "unsubscribe", token + more)).toBeNull();
    }
  });
});
