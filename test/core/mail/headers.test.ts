import { describe, expect, it } from "vitest";
import { ExtraHeaders } from "../../../src/core/mail/headers";

const faultsOf = (headers: unknown) =>
  ExtraHeaders.safeParse(headers).error?.issues.map((issue) => [
    issue.path.join("."),
    issue.code === "custom" ? (issue.params?.code ?? "custom") : issue.code,
  ]) ?? [];

const headersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, "1"]));

it.each<[headers: Record<string, string>]>([
  [{}],
  [{ "X-Order-Id": "1042" }],
  [{ "Reply-To": "ada@example.com" }],
  [{ "List-Unsubscribe": "<https://example.com/u>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }],
  [{ "In-Reply-To": "<1@example.com>", References: "<1@example.com> <2@example.com>" }],
  [{ "X-Empty": "" }],
  [{ "X-Text": 'Größe: 5 €, a; b=c "d" <e>' }],
  [{ "X-Tab": "a\tb" }],
  [{ "X_under.score!#$%&'*+^`|~": "1" }],
  [{ constructor: "1", toString: "1" }],
])("takes %j as it is", (headers) => {
  expect(ExtraHeaders.parse(headers)).toEqual(headers);
});

it.each<[what: string, value: unknown]>([
  ["null", null],
  ["a list", [["X-A", "1"]]],
  ["a text", "X-A: 1"],
  ["a number", 1],
])("refuses %s in place of an object", (_, value) => {
  expect(ExtraHeaders.safeParse(value).success).toBe(false);
});

describe("headers that the service writes itself", () => {
  it.each([
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Content-Disposition",
    "Content-ID",
    "Content-",
    "DKIM-Signature",
    "Received",
    "Return-Path",
    "Bcc",
    "Cc",
    "Sender",
    "Resent-To",
    "Resent-From",
    "Resent-",
    "ARC-Seal",
    "ARC-Authentication-Results",
    "Authentication-Results",
    "Delivered-To",
    "Apparently-To",
  ])("%s cannot be replaced, in any case of letters", (name) => {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(faultsOf({ [written]: "x" })).toEqual([[written, "custom"]]);
    }
  });

  it.each([
    "X-From",
    "To-Do",
    "Subject-Line",
    "Contents",
    "X-Content-Type",
    "Received-SPF",
    "Sender-Id",
    "X-Resent-To",
    "Archive",
    "Arc",
  ])("%s only looks like one", (name) => {
    expect(faultsOf({ [name]: "x" })).toEqual([]);
  });
});

describe("a name", () => {
  it.each([
    "",
    " ",
    "X Order",
    "X-Order:",
    ": value",
    "X-Order\r\nBcc",
    "X-Order\n",
    "\rX-Order",
    "X-\u0000",
    "X-\t",
    "X-\u007f",
    "X-Größe",
    "X-Ｏrder",
    "Bcc ",
    " Bcc",
    "Bcc:",
  ])("%j is none", (name) => {
    expect(faultsOf({ [name]: "x" })).toEqual([[name, "invalid_string"]]);
  });

  it.each<[length: number, faults: string[][]]>([
    [76, []],
    [77, [["X".repeat(77), "too_big"]]],
  ])("of %i characters", (length, faults) => {
    expect(faultsOf({ ["X".repeat(length)]: "1" })).toEqual(faults);
  });
});

describe("a value", () => {
  it.each<[value: unknown, code: string]>([
    ["a\r\nBcc: eve@example.com", "invalid_string"],
    ["a\nb", "invalid_string"],
    ["a\rb", "invalid_string"],
    ["a\r\n b", "invalid_string"],
    ["a\n", "invalid_string"],
    ["\r", "invalid_string"],
    ["a\u0000b", "invalid_string"],
    ["a\ud800b", "invalid_string"],
    [1, "invalid_type"],
    [true, "invalid_type"],
    [null, "invalid_type"],
    [["a", "b"], "invalid_type"],
    [{ value: "a" }, "invalid_type"],
  ])("%j is refused", (value, code) => {
    expect(faultsOf({ "X-A": value })).toEqual([["X-A", code]]);
  });

  it.each<[length: number, faults: string[][]]>([
    [998, []],
    [999, [["X-A", "too_big"]]],
  ])("of %i characters", (length, faults) => {
    expect(faultsOf({ "X-A": "v".repeat(length) })).toEqual(faults);
  });
});

describe("a value that is read as it is", () => {
  const url = (bytes: number) => `<https://e.test/${"u".repeat(bytes - 17)}>`;

  it.each<[name: string, value: string, faults: string[][]]>([
    ["List-Unsubscribe", url(980), []],
    ["List-Unsubscribe", url(981), [["List-Unsubscribe", "too_big"]]],
    ["List-Unsubscribe", `${url(20)}, ${url(970)}`, []],
    ["list-help", `${url(20)},${url(970)}`, [["list-help", "too_big"]]],
    ["List-Id", "ü".repeat(494), []],
    ["List-Id", "ü".repeat(495), [["List-Id", "too_big"]]],
    [`List-${"x".repeat(71)}`, url(920), []],
    [`List-${"x".repeat(71)}`, url(921), [[`List-${"x".repeat(71)}`, "too_big"]]],
    ["References", `${`<${"1".repeat(480)}@e.test> `.repeat(2)}`.trim(), []],
    ["References", `<${"1".repeat(985)}@e.test>`, [["References", "too_big"]]],
    ["In-Reply-To", `<${"1".repeat(980)}@e.test>`, [["In-Reply-To", "too_big"]]],
    // Encoded words fit any line.
    ["X-Order", "v".repeat(998), []],
  ])("%s fits lines of 998 bytes, or is refused", (name, value, faults) => {
    expect(faultsOf({ [name]: value })).toEqual(faults);
  });
});

describe("a Reply-To", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    ["Ada@ｅxample.com", "Ada@example.com"],
    ["Desk <Desk@MÜNCHEN.de>", "Desk <Desk@xn--mnchen-3ya.de>"],
    ["<ada@example.com>", "<ada@example.com>"],
    ['"Desk, north" <a@example.com>,b@example.com', '"Desk, north" <a@example.com>, b@example.com'],
    ['"The \\"Desk\\"" <a@example.com>', '"The \\"Desk\\"" <a@example.com>'],
    ["Größe <a@example.com>", "Größe <a@example.com>"],
  ])("%s has its domains in ASCII", (written, wire) => {
    expect(ExtraHeaders.parse({ "reply-TO": written })).toEqual({ "reply-TO": wire });
  });

  it.each(["", " ", "nope", "Desk", "ada@example.com,", ",", "a@example.com b@example.com", '"Desk <a@example.com>'])(
    "%j is no address",
    (value) => {
      expect(faultsOf({ "Reply-To": value })).toEqual([["Reply-To", "invalid_string"]]);
    },
  );
});

it.each<[count: number, faults: string[][]]>([
  [50, []],
  [51, [["", "too_big"]]],
])("%i headers", (count, faults) => {
  expect(faultsOf(headersOf(count))).toEqual(faults);
});

it("names every header that is wrong", () => {
  expect(faultsOf({ "X-A": "ok", Bcc: "eve@example.com", "X B": "1", "X-C": "a\nb" })).toEqual([
    ["Bcc", "custom"],
    ["X B", "invalid_string"],
    ["X-C", "invalid_string"],
  ]);
});
