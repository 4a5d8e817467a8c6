import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json";
import { joinEvents } from "../../../src/core/workflows/joined-events";

const event = (data: JsonObject) => ({ data });
const long = (bytes: number) => "x".repeat(bytes);

describe("joinEvents", () => {
  it.each<[what: string, taken: JsonObject[], data: JsonObject, kept: number[]]>([
    ["nothing of no event", [], {}, []],
    ["one event as it is", [{ plan: "pro" }], { plan: "pro" }, [0]],
    ["keys of all, the newest first", [{ plan: "pro", n: 1 }, { n: 2 }], { plan: "pro", n: 2 }, [0, 1]],
    ["a null of a newer event", [{ plan: "pro" }, { plan: null }], { plan: null }, [1]],
    ["objects whole", [{ cart: { a: 1 } }, { cart: { b: 2 } }], { cart: { b: 2 } }, [1]],
    ["no event whose keys all have newer values", [{ n: 1 }, { n: 2, m: 2 }, { n: 3 }], { n: 3, m: 2 }, [1, 2]],
    ["an event without data that is the newest", [{ plan: "pro" }, {}], { plan: "pro" }, [0, 1]],
    ["as much as one event may have", [{ a: long(40_000) }, { b: 1 }], { a: long(40_000), b: 1 }, [0, 1]],
    ["less of what is older", [{ a: 1 }, { b: long(40_000) }, { c: long(40_000) }], { c: long(40_000) }, [2]],
    ["the newest, however large", [{ a: 1 }, { b: long(70_000) }], { b: long(70_000) }, [1]],
    [
      "only what is new of an older event",
      [{ a: 1, b: long(60_000) }, { b: long(60_000) }],
      { a: 1, b: long(60_000) },
      [0, 1],
    ],
  ])("takes %s", (_, data, expected, kept) => {
    const taken = data.map(event);
    const joined = joinEvents(taken);
    expect(joined.data).toEqual(expected);
    expect(joined.events).toEqual(kept.map((index) => taken[index]));
  });

  it("takes a key that JavaScript has a meaning for as any other", () => {
    const { data } = joinEvents([event(JSON.parse('{"__proto__":{"a":1},"toString":1}')), event({ n: 1 })]);
    expect(JSON.stringify(data)).toBe('{"__proto__":{"a":1},"toString":1,"n":1}');
  });
});
