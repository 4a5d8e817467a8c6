import { parse } from "uuid";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  aboveAllIds,
  belowAllIds,
  bytesOf,
  firstIdAt,
  idAlphabet,
  isUuid,
  newId,
  newIdAt,
  publicId,
  publicIdOfPair,
  readId,
  textOf,
  timeOf,
} from "../../src/core/ids";

const uuid = "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10";

describe("newId", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is 22 characters of the alphabet", () => {
    expect(textOf(newId())).toMatch(/^[-0-9A-Z_a-z]{22}$/);
  });

  it("is a UUID v7 in lower case to customers", () => {
    expect(publicId(newId())).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("never gives the same id twice", () => {
    const ids = Array.from({ length: 10_000 }, newId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("sorts by the time it was made, also within one millisecond", () => {
    const ids = Array.from({ length: 10_000 }, () => textOf(newId()));
    expect(ids.toSorted()).toEqual(ids);
  });

  it("says when it was made", () => {
    for (const time of ["2038-01-19T03:14:08.000Z", "2038-12-31T23:59:59.999Z", "2106-02-07T06:28:16.001Z"]) {
      vi.useFakeTimers({ now: new Date(time), toFake: ["Date"] });
      expect(new Date(timeOf(newId())).toISOString()).toBe(time);
    }
  });

  it("follows a clock that was set back, so that one wrong second does not date all later rows", () => {
    for (const time of ["2107-01-01T00:00:00.000Z", "2106-12-31T23:59:00.000Z"]) {
      vi.useFakeTimers({ now: new Date(time), toFake: ["Date"] });
      expect(new Date(timeOf(newId())).toISOString()).toBe(time);
    }
  });
});

describe("newIdAt", () => {
  it("sorts by the order of one millisecond, whatever is made for other times in between", () => {
    const stillMs = Date.parse("2026-01-31T12:00:00Z");
    const ids = Array.from({ length: 1_000 }, (_, n) => {
      newIdAt(stillMs + 1 + n);
      return newIdAt(stillMs);
    }).map(textOf);
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe("the alphabet", () => {
  it("is in the order of ASCII, so that ids sort as their UUIDs do", () => {
    expect([...idAlphabet].toSorted().join("")).toBe(idAlphabet);
    const uuids = Array.from({ length: 1_000 }, () => crypto.randomUUID()).toSorted();
    const ids = uuids.map((each) => textOf(readId(each)));
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe("bytesOf", () => {
  it("gives the bytes of the UUID", () => {
    const uuids = [uuid, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"];
    for (const given of [...uuids, ...Array.from({ length: 100 }, () => crypto.randomUUID())]) {
      expect(bytesOf(readId(given))).toEqual(parse(given));
    }
  });

  it("has none for what is no UUID", () => {
    expect(() => bytesOf(readId("nope"))).toThrow("not a UUID");
  });
});

describe("publicId", () => {
  it.each([
    uuid,
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ...Array.from({ length: 100 }, () => crypto.randomUUID()),
  ])("gives back %s", (given) => {
    expect(publicId(readId(given))).toBe(given);
  });

  it("writes in lower case what a caller wrote in capitals", () => {
    expect(publicId(readId(uuid.toUpperCase()))).toBe(uuid);
  });

  it.each(["", "nope", "42", "-".repeat(22), "0199a0f26c1e7b3a9d540c8f6f1f2a10", textOf(readId(uuid))])(
    "gives back %j, which is no UUID and names no row",
    (given) => {
      const id = readId(given);
      expect(publicId(id)).toBe(given);
      expect(textOf(id)).not.toMatch(/^[-0-9A-Z_a-z]{22}$/);
    },
  );
});

describe("bounds", () => {
  const noon = Date.parse("2026-01-31T12:00:00.000Z");

  it("lie below what was made at a time and above what was made before", () => {
    expect(textOf(newIdAt(noon)) > textOf(firstIdAt(noon))).toBe(true);
    expect(textOf(newIdAt(noon - 1)) < textOf(firstIdAt(noon))).toBe(true);
    expect(textOf(firstIdAt(-1))).toBe(textOf(firstIdAt(0)));
  });

  it("lie around all ids", () => {
    for (const id of [
      newId(),
      readId("00000000-0000-0000-0000-000000000000"),
      readId("ffffffff-ffff-ffff-ffff-ffffffffffff"),
    ]) {
      expect(textOf(belowAllIds) < textOf(id) && textOf(id) < textOf(aboveAllIds)).toBe(true);
    }
  });
});

describe("isUuid", () => {
  it.each([
    uuid,
    uuid.toUpperCase(),
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "00000000-0000-4000-8000-000000000000",
    "00000000-0000-0000-0000-000000000000",
    publicId(newId()),
    crypto.randomUUID(),
  ])("takes %s", (value) => {
    expect(isUuid(value)).toBe(true);
  });

  it.each([
    "",
    "nope",
    "42",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a1",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a100",
    "0199a0f26c1e7b3a9d540c8f6f1f2a10",
    "{0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10}",
    "urn:uuid:0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
    " 0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10\n",
    "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a1g",
  ])("refuses %j", (value) => {
    expect(isUuid(value)).toBe(false);
  });
});

describe("publicIdOfPair", () => {
  it("is a UUID, the same each time, and another one for every other id beside the same one", () => {
    const one = newId();
    const others = Array.from({ length: 1_000 }, newId);
    const pairs = others.map((other) => publicIdOfPair(one, other));
    for (const pair of pairs)
      expect(pair).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(pairs).size).toBe(others.length);
    expect(others.map((other) => publicIdOfPair(one, other))).toEqual(pairs);
  });
});
