import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AddressInput, DisplayName, Email, maxRecipients, RecipientsInput } from "../../../src/core/mail/address-input";

const Body = z.object({ to: RecipientsInput, from: AddressInput.optional(), email: Email.optional() });

/** The faults of a schema in a body, as the field and code a caller sees. */
function faultsOf(schema: z.ZodType, field: string, input: unknown): string[] {
  const read = z.object({ [field]: schema }).safeParse({ [field]: input });
  return (
    read.error?.issues.map(
      (issue) => `${issue.path.join(".")} ${issue.code === "custom" ? issue.params?.code : issue.code}`,
    ) ?? []
  );
}

const ada = { email: "ada@example.com", written: "ada@example.com", name: null };

describe("Email", () => {
  it("reads an address into the form contacts are found by", () => {
    expect(Email.parse(" Ada@Example.COM ")).toBe("ada@example.com");
  });

  it.each<[input: unknown, fault: string]>([
    ["nope", "email invalid_string"],
    ["", "email invalid_string"],
    ["ada@example.com\r\nBcc: eve@example.com", "email invalid_string"],
    [42, "email invalid_type"],
    [null, "email invalid_type"],
    [["ada@example.com"], "email invalid_type"],
    [{ email: "ada@example.com" }, "email invalid_type"],
  ])("refuses %j", (input, fault) => {
    expect(faultsOf(Email, "email", input)).toEqual([fault]);
  });
});

describe("DisplayName", () => {
  it.each([
    ["Ada", "Ada"],
    ["  Ada Lovelace ", "Ada Lovelace"],
    ["", ""],
    ['Ada "the first" Lovelace', 'Ada "the first" Lovelace'],
    ["Lovelace, Ada <ada@example.com>", "Lovelace, Ada <ada@example.com>"],
    ["Ада 😀", "Ада 😀"],
    ["x".repeat(255), "x".repeat(255)],
  ])("%j is %j", (written, name) => {
    expect(DisplayName.parse(written)).toBe(name);
  });

  it.each<[name: unknown, fault: string]>([
    ["Ada\r\nBcc: eve@example.com", "name invalid_string"],
    ["Ada\n", "name invalid_string"],
    ["Ada\r", "name invalid_string"],
    ["A\u0000da", "name invalid_string"],
    ["A\ud800da", "name invalid_string"],
    ["A\tda", "name invalid_string"],
    ["A\u007fda", "name invalid_string"],
    ["x".repeat(256), "name too_big"],
    [42, "name invalid_type"],
    [null, "name invalid_type"],
  ])("refuses %j", (name, fault) => {
    expect(faultsOf(DisplayName, "name", name)).toEqual([fault]);
  });
});

describe("AddressInput", () => {
  it.each<[input: unknown, address: unknown]>([
    ["ada@example.com", ada],
    [{ email: "ada@example.com" }, ada],
    [{ email: "ada@example.com", name: null }, ada],
    [{ email: "ada@example.com", name: "" }, ada],
    [{ email: "ada@example.com", name: "  " }, ada],
    [
      { email: "ada@example.com", name: " Ada " },
      { ...ada, name: "Ada" },
    ],
    [
      { email: "ada@example.com", name: "Ada", role: "x" },
      { ...ada, name: "Ada" },
    ],
    [" Ada@Example.COM ", { ...ada, written: "Ada@example.com" }],
    [
      { email: "Ada@Example.COM", name: "Ada" },
      { email: "ada@example.com", written: "Ada@example.com", name: "Ada" },
    ],
    ["ada@München.de", { email: "ada@xn--mnchen-3ya.de", written: "ada@xn--mnchen-3ya.de", name: null }],
  ])("reads %j", (input, address) => {
    expect(AddressInput.parse(input)).toEqual(address);
  });

  it.each<[input: unknown, fault: string]>([
    [undefined, "from required"],
    ["nope", "from invalid_string"],
    ["", "from invalid_string"],
    ["Ada <ada@example.com>", "from invalid_string"],
    [null, "from invalid_type"],
    [42, "from invalid_type"],
    [true, "from invalid_type"],
    [[], "from invalid_type"],
    [["ada@example.com"], "from invalid_type"],
    [{}, "from.email required"],
    [{ name: "Ada" }, "from.email required"],
    [{ email: null }, "from.email invalid_type"],
    [{ email: 42 }, "from.email invalid_type"],
    [{ email: "nope" }, "from.email invalid_string"],
    [{ email: "ada@example.com\r\nBcc: eve@example.com" }, "from.email invalid_string"],
    [{ email: "ada@example.com", name: 42 }, "from.name invalid_type"],
    [{ email: "ada@example.com", name: {} }, "from.name invalid_type"],
    [{ email: "ada@example.com", name: "Ada\r\nBcc: eve@example.com" }, "from.name invalid_string"],
    [{ email: "ada@example.com", name: "x".repeat(256) }, "from.name too_big"],
  ])("refuses %j: %s", (input, fault) => {
    expect(faultsOf(AddressInput, "from", input)).toEqual([fault]);
  });
});

describe("RecipientsInput", () => {
  const bob = { email: "bob@example.com", written: "bob@example.com", name: "Bob" };

  it.each<[what: string, input: unknown, recipients: unknown[]]>([
    ["one address", "ada@example.com", [ada]],
    ["one address with a name", { email: "bob@example.com", name: "Bob" }, [bob]],
    ["a list of one", ["ada@example.com"], [ada]],
    ["a list of both kinds, in order", [{ email: "bob@example.com", name: "Bob" }, "ada@example.com"], [bob, ada]],
    ["the same address twice, as often as asked", ["ada@example.com", "ada@example.com"], [ada, ada]],
  ])("reads %s", (_, input, recipients) => {
    expect(RecipientsInput.parse(input)).toEqual(recipients);
  });

  it.each<[count: number, faults: string[]]>([
    [0, ["to too_small"]],
    [1, []],
    [maxRecipients, []],
    [maxRecipients + 1, ["to too_big"]],
  ])("%i recipients", (count, faults) => {
    const recipients = Array.from({ length: count }, (_, index) => `ada${index}@example.com`);
    expect(faultsOf(RecipientsInput, "to", recipients)).toEqual(faults);
  });

  it("takes 500 recipients a call", () => {
    expect(maxRecipients).toBe(500);
  });

  it.each<[input: unknown, faults: string[]]>([
    [undefined, ["to required"]],
    [null, ["to invalid_type"]],
    [42, ["to invalid_type"]],
    ["nope", ["to invalid_string"]],
    ["ada@example.com, bob@example.com", ["to invalid_string"]],
    [["ada@example.com", "nope"], ["to.1 invalid_string"]],
    [["ada@example.com", null], ["to.1 invalid_type"]],
    [[["ada@example.com"]], ["to.0 invalid_type"]],
    [
      [{ name: "Ada" }, "ada@example.com", { email: "nope" }],
      ["to.0.email required", "to.2.email invalid_string"],
    ],
    [[{ email: "ada@example.com", name: "A\nB" }], ["to.0.name invalid_string"]],
  ])("refuses %j", (input, faults) => {
    expect(faultsOf(RecipientsInput, "to", input)).toEqual(faults);
  });

  it("is asked for when it is missing from a body", () => {
    expect(Body.safeParse({}).error?.issues).toMatchObject([{ path: ["to"], params: { code: "required" } }]);
  });
});
