import { describe, expect, it } from "vitest";
import { readAddress } from "../../../src/core/verification/address";

const a = (length: number) => "a".repeat(length);

describe("readAddress", () => {
  it.each<[written: string, email: string, local: string]>([
    ["ada@acme.com", "ada@acme.com", "ada"],
    ["  Ada@ACME.com\n", "ada@acme.com", "Ada"],
    ["ada+news@acme.com", "ada+news@acme.com", "ada+news"],
    ["o'brien.x_y=z/1@acme.co.uk", "o'brien.x_y=z/1@acme.co.uk", "o'brien.x_y=z/1"],
    ["ada@bücher.de", "ada@xn--bcher-kva.de", "ada"],
    [`${a(64)}@acme.com`, `${a(64)}@acme.com`, a(64)],
    [`ada@${a(63)}.${a(63)}.${a(63)}.${a(54)}.com`, `ada@${a(63)}.${a(63)}.${a(63)}.${a(54)}.com`, "ada"],
  ])("%j is legal", (written, email, local) => {
    expect(readAddress(written)).toMatchObject({ email, local, faults: [] });
  });

  it.each<[written: string, fault: RegExp]>([
    ["a..b@acme.com", /dot/],
    [".ada@acme.com", /dot/],
    ["ada.@acme.com", /dot/],
    ["a,b@acme.com", /quotes/],
    ["a(b)@acme.com", /quotes/],
    ['a"b@acme.com', /quotes/],
    ['"ada@acme.com', /quotes/],
    ["ада@пример.рф", /beyond ASCII/],
    ['"ada lovelace"@acme.com', /in quotes/],
    ['"a@b"@acme.com', /in quotes/],
    ['"a\\"b"@acme.com', /in quotes/],
    ['"a..b"@acme.com', /in quotes/],
    ['""@acme.com', /in quotes/],
    ["ada@localhost", /host name/],
    ["ada@-acme.com", /host name/],
    ["ada@acme..com", /host name/],
    ["ada@acme.com.", /host name/],
    ["ada@a_b.com", /host name/],
    ["ada@127.0.0.1", /host name/],
    ["ada@[127.0.0.1]", /host name/],
    ["ada@acme.123", /host name/],
    [`${a(65)}@acme.com`, /64/],
    [`${"ü".repeat(33)}@acme.com`, /beyond ASCII/],
    [`ada@${a(63)}.${a(63)}.${a(63)}.${a(55)}.com`, /254/],
  ])("%j has the form of an address, and breaks a rule", (written, fault) => {
    const address = readAddress(written);
    expect(address?.faults).toHaveLength(1);
    expect(address?.faults[0]).toMatch(fault);
  });

  it.each([
    "",
    " ",
    "nope",
    "@",
    "ada@",
    "@acme.com",
    "ada lovelace@acme.com",
    "ada@acme com",
    "ada@acme.com, bob@acme.com",
    "a@b@acme.com",
    "ada@acme.com\r\nbcc:x@y.z",
    "a\u0000b@acme.com",
    "Ada <ada@acme.com>",
    'ada lovelace"@acme.com',
    '"a\nb"@acme.com',
  ])("%j is none", (written) => expect(readAddress(written)).toBeNull());
});
