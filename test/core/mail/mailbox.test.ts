import { describe, expect, it } from "vitest";
import { mailbox, splitReplyTo } from "../../../src/core/mail/mailbox";

describe("an address as one text", () => {
  it.each<[name: string | null, text: string]>([
    [null, "Ada@example.com"],
    ["", "Ada@example.com"],
    ["Ada Lovelace", '"Ada Lovelace" <Ada@example.com>'],
    ["Ada, Countess", '"Ada, Countess" <Ada@example.com>'],
    ['The "Ada"', '"The \\"Ada\\"" <Ada@example.com>'],
    ["back\\slash", '"back\\\\slash" <Ada@example.com>'],
    ["Ärzte <x@evil.example>", '"Ärzte <x@evil.example>" <Ada@example.com>'],
  ])("named %j", (name, text) => {
    expect(mailbox({ email: "ada@example.com", written: "Ada@example.com", name })).toBe(text);
  });
});

const replyTo = { email: "r@example.com", written: "r@example.com", name: "Desk" };

describe("Reply-To as a field of its own", () => {
  it("is the mail's own where no header says otherwise", () => {
    expect(splitReplyTo({ "X-A": "1" }, replyTo)).toEqual({
      replyTo: '"Desk" <r@example.com>',
      headers: { "X-A": "1" },
    });
    expect(splitReplyTo({}, null)).toEqual({ replyTo: null, headers: {} });
  });

  it("is the header's, however it is spelled", () => {
    const headers = { "reply-TO": "h@example.com", "X-A": "1" };
    expect(splitReplyTo(headers, replyTo)).toEqual({ replyTo: "h@example.com", headers: { "X-A": "1" } });
  });
});
