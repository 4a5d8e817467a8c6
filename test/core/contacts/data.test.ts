import { describe, expect, it } from "vitest";
import { ContactData, type DataChange, maxDataBytes, readData } from "../../../src/core/contacts/data";
import type { JsonObject, JsonValue } from "../../../src/core/json";

/** As a body arrives: JSON.parse makes __proto__ a key like any other, an object literal does not. */
const json = (text: string): JsonObject => JSON.parse(text);

describe("readData", () => {
  describe("rule 1: only the keys sent change", () => {
    it.each<[sent: JsonObject]>([[{}], [{ plan: "pro" }], [{ plan: "pro", seats: 3 }]])("%j", (sent) => {
      expect(readData(sent).patch).toEqual(sent);
    });

    it("leaves what was sent as it is", () => {
      const sent = Object.freeze({ plan: Object.freeze({ value: "pro", persistent: false }), id: "c1", note: "" });
      expect(() => readData(sent)).not.toThrow();
      expect(sent).toEqual({ plan: { value: "pro", persistent: false }, id: "c1", note: "" });
    });
  });

  describe("rule 2: a value is stored and seen", () => {
    it.each<[what: string, value: JsonValue]>([
      ["a text", "Ada"],
      ["a blank text", " "],
      ["a number", 42],
      ["zero", 0],
      ["a fraction", 3.14],
      ["a negative number", -1],
      ["true", true],
      ["false", false],
      ["a list", ["red", "blue"]],
      ["an empty list", []],
      ["a list with nothing in it", [null, ""]],
      ["an object", { street: "Dam 1", city: { name: "Amsterdam" } }],
      ["an empty object", {}],
      ["an object with null and an empty text in it", { a: null, b: "" }],
    ])("%s", (_, value) => {
      expect(readData({ key: value })).toMatchObject({ patch: { key: value }, own: { key: value } });
    });
  });

  it("rule 3: null deletes the key, and gives it no type", () => {
    expect(readData({ plan: null })).toEqual<DataChange>({ patch: { plan: null }, own: { plan: null }, types: {} });
  });

  it("rule 4: an empty text is ignored", () => {
    expect(readData({ plan: "", name: "Ada" })).toEqual<DataChange>({
      patch: { name: "Ada" },
      own: { name: "Ada" },
      types: { name: "string" },
    });
  });

  describe("rule 5: { value, persistent: false } is for this call only", () => {
    it.each<[what: string, sent: JsonValue, seen: JsonObject]>([
      ["a text", { value: "1042", persistent: false }, { key: "1042" }],
      ["zero", { value: 0, persistent: false }, { key: 0 }],
      ["false", { value: false, persistent: false }, { key: false }],
      ["null, which hides what is stored", { value: null, persistent: false }, { key: null }],
      ["an object", { value: { code: 1 }, persistent: false }, { key: { code: 1 } }],
      ["a list", { value: [1, 2], persistent: false }, { key: [1, 2] }],
      ["an empty text, which is ignored", { value: "", persistent: false }, {}],
      ["the order of its two keys does not matter", { persistent: false, value: 1 }, { key: 1 }],
    ])("%s", (_, sent, seen) => {
      expect(readData({ key: sent })).toEqual<DataChange>({ patch: {}, own: seen, types: {} });
    });

    it("and persistent: true stores the value in it", () => {
      expect(readData({ key: { value: 42, persistent: true } })).toEqual<DataChange>({
        patch: { key: 42 },
        own: { key: 42 },
        types: { key: "number" },
      });
    });

    it.each<[what: string, value: JsonObject]>([
      ["without persistent", { value: 1 }],
      ["without value", { persistent: false }],
      ["with persistent: true and without value", { persistent: true }],
      ["with a third key", { value: 1, persistent: false, note: "x" }],
      ["with a third key called __proto__", json('{"value":1,"persistent":false,"__proto__":{}}')],
      ["with a text for persistent", { value: 1, persistent: "false" }],
      ["with null for persistent", { value: 1, persistent: null }],
      ["with 0 for persistent", { value: 1, persistent: 0 }],
    ])("an object %s is an object like any other, and stored", (_, value) => {
      expect(readData({ key: value })).toEqual<DataChange>({
        patch: { key: value },
        own: { key: value },
        types: { key: "string" },
      });
    });

    it("only at the top: deeper it is data", () => {
      const sent = { profile: { code: { value: 1, persistent: false } } };
      expect(readData(sent).patch).toEqual(sent);
    });
  });

  describe("rule 6: reserved keys are dropped without a word", () => {
    it.each(["id", "service_id", "service_email", "email", "unsubscribeUrl", "subscribeUrl", "manageUrl"])(
      "%s",
      (key) => {
        for (const value of ["x", null, 1, { value: "x", persistent: false }]) {
          expect(readData({ [key]: value, plan: "pro" })).toEqual<DataChange>({
            patch: { plan: "pro" },
            own: { plan: "pro" },
            types: { plan: "string" },
          });
        }
      },
    );

    it.each(["ID", "Email", "unsubscribeurl", "user_id", "email ", "data", "locale"])(
      "but %j is only a key that looks like one",
      (key) => {
        expect(readData({ [key]: "x" }).patch).toEqual({ [key]: "x" });
      },
    );
  });

  it.each(["subscribed", "createdAt", "updatedAt"])(
    "rule 7: %s in data is a custom field, as the core fields live outside data",
    (key) => {
      expect(readData({ [key]: "x" }).patch).toEqual({ [key]: "x" });
    },
  );

  it("rule 8: locale is stored like any key", () => {
    expect(readData({ locale: "pt-BR" })).toMatchObject({ patch: { locale: "pt-BR" }, types: { locale: "string" } });
  });

  it("rule 9: each stored key tells its type, and only a stored one", () => {
    const sent: JsonObject = {
      name: "Ada",
      seats: 3,
      paying: true,
      renewsOn: "2026-01-31",
      tags: ["a"],
      profile: {},
      gone: null,
      ignored: "",
      email: "x@example.com",
      once: { value: 5, persistent: false },
      kept: { value: 5, persistent: true },
    };
    expect(readData(sent).types).toEqual({
      name: "string",
      seats: "number",
      paying: "boolean",
      renewsOn: "date",
      tags: "string",
      profile: "string",
      kept: "number",
    });
  });

  describe("keys that every object has", () => {
    it.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"])(
      "%s is stored, seen, typed, and changes nothing else",
      (key) => {
        const { patch, own, types } = readData(json(`{"${key}": {"polluted": true}}`));
        for (const part of [patch, own, types]) expect(Object.keys(part)).toEqual([key]);
        expect(JSON.stringify(patch)).toBe(`{"${key}":{"polluted":true}}`);
        expect(JSON.stringify(types)).toBe(`{"${key}":"string"}`);
        expect(Object.getPrototypeOf(patch)).toBe(Object.prototype);
        expect("polluted" in {}).toBe(false);
      },
    );

    it.each(["__proto__", "constructor"])("%s: null deletes that key", (key) => {
      expect(JSON.stringify(readData(json(`{"${key}": null}`)).patch)).toBe(`{"${key}":null}`);
    });
  });

  it.each(["first name", "profile.tier", "$.a", 'say "hi"', "o'neill", "Größe", "名前", "😀", "0", "a[0]", " "])(
    "%j is one literal key",
    (key) => {
      expect(readData({ [key]: 1 }).patch).toEqual({ [key]: 1 });
    },
  );
});

describe("ContactData", () => {
  const faultsOf = (data: unknown) =>
    ContactData.safeParse(data).error?.issues.map((issue) => ({
      path: issue.path,
      code: issue.code === "custom" ? issue.params?.code : issue.code,
    })) ?? [];
  const nested = (levels: number): JsonValue => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const listed = (levels: number): JsonValue => (levels === 0 ? 1 : [listed(levels - 1)]);

  it.each<[what: string, value: unknown]>([
    ["null", null],
    ["a list", []],
    ["a text", "{}"],
    ["a number", 1],
    ["nothing", undefined],
  ])("refuses %s in place of an object", (_, value) => {
    expect(ContactData.safeParse(value).success).toBe(false);
  });

  it("hands on what was sent as it is", () => {
    const sent = json('{"a": 1, "__proto__": {"b": 2}, "c": null, "d": ""}');
    expect(JSON.stringify(ContactData.parse(sent))).toBe('{"a":1,"__proto__":{"b":2},"c":null,"d":""}');
  });

  describe("the length of a key", () => {
    it.each<[length: number, faults: unknown[]]>([
      [0, [{ path: [""], code: "too_small" }]],
      [1, []],
      [128, []],
      [129, [{ path: ["k".repeat(129)], code: "too_big" }]],
    ])("%i", (length, faults) => {
      expect(faultsOf({ ["k".repeat(length)]: 1 })).toEqual(faults);
    });

    it("counts only at the top", () => {
      expect(faultsOf({ profile: { ["k".repeat(500)]: 1 } })).toEqual([]);
    });
  });

  describe("the size of it all, as JSON in UTF-8", () => {
    const around = '{"a":""}'.length;
    const tooBig = [{ path: [], code: "too_big" }];

    it.each<[what: string, text: string, faults: unknown[]]>([
      ["at the limit", "x".repeat(maxDataBytes - around), []],
      ["one past it", "x".repeat(maxDataBytes - around + 1), tooBig],
      ["at the limit in letters of two bytes", "é".repeat((maxDataBytes - around) / 2), []],
      ["past it in bytes, though not in letters", "é".repeat((maxDataBytes - around) / 2 + 1), tooBig],
      ["past it only when it is escaped", '"'.repeat((maxDataBytes - around) / 2 + 1), tooBig],
    ])("%s", (_, text, faults) => {
      expect(faultsOf({ a: text })).toEqual(faults);
    });

    it("is 64 KB", () => {
      expect(maxDataBytes).toBe(64 * 1024);
    });
  });

  describe("nesting", () => {
    const tooDeep = [{ path: [], code: "custom" }];

    it.each<[what: string, value: JsonValue, faults: unknown[]]>([
      ["objects at the limit of 20 levels", nested(19), []],
      ["objects past it", nested(20), tooDeep],
      ["lists at the limit", listed(19), []],
      ["lists past it", listed(20), tooDeep],
      ["lists so deep that a naive look would overflow the stack", json("[".repeat(9000) + "]".repeat(9000)), tooDeep],
    ])("%s", (_, value, faults) => {
      expect(faultsOf({ a: value })).toEqual(faults);
    });
  });

  describe("U+0000, which would cut a text short in the database", () => {
    it.each<[what: string, data: JsonObject, path: string]>([
      ["in a text", { a: "b\0c" }, "a"],
      ["alone", { a: "\0" }, "a"],
      ["in a key", { "a\0b": 1 }, "a\0b"],
      ["in a list", { a: ["b", ["\0"]] }, "a"],
      ["in an object", { a: { b: { c: "\0" } } }, "a"],
      ["in a key further down", { a: { b: { "c\0": 1 } } }, "a"],
      ["in a value for this call only", { a: { value: "\0", persistent: false } }, "a"],
      ["and so is half of a character, which has no UTF-8,", { a: "\ud83d" }, "a"],
      ["and in a key", { "a\ude00": 1 }, "a\ude00"],
    ])("is refused %s", (_, data, path) => {
      expect(faultsOf(data)).toEqual([{ path: [path], code: "invalid_string" }]);
    });

    it.each(["\u0001", "\n", "\r\n", "\t", "\u007f", "\u2028", "\ud83d\ude00"])("but %j is text", (text) => {
      expect(faultsOf({ a: text })).toEqual([]);
    });
  });

  describe("numbers that JSON can be read as but not written", () => {
    it.each([
      '{"a": 1e400}',
      '{"a": -1e400}',
      '{"a": [1, 1e999]}',
      '{"a": {"b": 1e999}}',
      '{"a": {"value": 1e400, "persistent": false}}',
    ])("refuses %s, which would delete the key", (text) => {
      expect(faultsOf(json(text))).toEqual([{ path: ["a"], code: "too_big" }]);
    });

    it.each([Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, -0])("takes %d", (value) => {
      expect(faultsOf({ a: value })).toEqual([]);
    });
  });

  describe("locale", () => {
    const notText = [{ path: ["locale"], code: "invalid_type" }];

    it.each<[locale: JsonValue, faults: unknown[]]>([
      ["en", []],
      ["pt-BR", []],
      ["", []],
      [null, []],
      [{ value: "nl", persistent: false }, []],
      [{ value: "", persistent: false }, []],
      [{ value: null, persistent: false }, []],
      [1, notText],
      [true, notText],
      [["en"], notText],
      [{ language: "en" }, notText],
      [{ value: 1, persistent: false }, notText],
      [{ value: ["en"], persistent: true }, notText],
      [{ value: "en" }, notText],
    ])("%j", (locale, faults) => {
      expect(faultsOf({ locale })).toEqual(faults);
    });
  });

  it.each<[key: string, value: JsonValue]>([
    ["email", "a\0b"],
    ["id", 1],
    ["manageUrl", { "a\0": 1 }],
  ])("says nothing of %s, which is dropped whatever it holds", (key, value) => {
    expect(faultsOf({ [key]: value })).toEqual([]);
  });

  it("names every key that is wrong", () => {
    expect(faultsOf({ ok: 1, "": 1, locale: 5, text: "\0" })).toEqual([
      { path: [""], code: "too_small" },
      { path: ["locale"], code: "invalid_type" },
      { path: ["text"], code: "invalid_string" },
    ]);
  });
});
