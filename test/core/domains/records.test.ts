import { describe, expect, it } from "vitest";
import { isReservedDomain, ownershipRecord, senderDomain } from "../../../src/core/domains/records";

const label63 = "a".repeat(63);

describe("senderDomain", () => {
  it.each<[written: string, domain: string]>([
    ["example.com", "example.com"],
    ["mail.example.com", "mail.example.com"],
    ["a.b.c.example.co.uk", "a.b.c.example.co.uk"],
    ["EXAMPLE.COM", "example.com"],
    ["  example.com\n", "example.com"],
    ["my-shop.example", "my-shop.example"],
    ["123.com", "123.com"],
    ["4chan.org", "4chan.org"],
    ["a--b.com", "a--b.com"],
    [`${label63}.com`, `${label63}.com`],

    // Suffixes under which anybody may register.
    ["example.co.uk", "example.co.uk"],
    ["shop.公司.cn", "shop.xn--55qx5d.cn"],
    // Suffixes of a company's own list are names somebody registered.
    ["github.io", "github.io"],
    ["petrel.github.io", "petrel.github.io"],
    // An exception in the public suffix list.
    ["city.kawasaki.jp", "city.kawasaki.jp"],

    ["petrel.test", "petrel.test"],
    ["acme.example", "acme.example"],
    ["app.localhost", "app.localhost"],

    ["münchen.de", "xn--mnchen-3ya.de"],
    ["MÜNCHEN.DE", "xn--mnchen-3ya.de"],
    ["mu\u0308nchen.de", "xn--mnchen-3ya.de"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["XN--MNCHEN-3YA.de", "xn--mnchen-3ya.de"],
    ["пример.рф", "xn--e1afmkfd.xn--p1ai"],
    ["faß.de", "xn--fa-hia.de"],
    ["例え。テスト", "xn--r8jz45g.xn--zckzah"],
  ])("%s is registrable, as %s", (written, domain) => {
    return expect(senderDomain(written)).resolves.toBe(domain);
  });

  it.each([
    "",
    " ",
    "com",
    "test",
    "localhost",
    "co.uk",
    "kawasaki.jp",
    "рф",
    "公司.cn",
    "1.2.3.4",
    "127.1",
    "0x7f.0.0.1",
    "[::1]",
    "::1",
    "2130706433",
    "example.com.",
    ".example.com",
    "example..com",
    "-example.com",
    "example-.com",
    "exa_mple.com",
    "_dmarc.example.com",
    "exa mple.com",
    "example.com example.org",
    "example.com,example.org",
    "example.com\r\nexample.org",
    "example\u0000.com",
    "example.com\u0000",
    "*.example.com",
    "https://example.com",
    "example.com/path",
    "example.com:25",
    "example.com?x",
    "example.com#x",
    "user@example.com",
    "exam%70le.com",
    "example.123",
    `${"a".repeat(64)}.com`,
    `${`${label63}.`.repeat(4)}com`,
  ])("%j is none", (written) => {
    return expect(senderDomain(written)).resolves.toBeNull();
  });
});

describe("isReservedDomain", () => {
  it.each<[domain: string, reserved: boolean]>([
    ["petrel.test", true],
    ["a.b.petrel.test", true],
    ["acme.example", true],
    ["app.localhost", true],
    ["example.com", false],
    ["test.com", false],
    ["localhost.net", false],
    ["petrel.tests", false],
    ["petrel.invalid", false],
    ["petrel.local", false],
    ["notexample", false],
  ])("%s: %s", (domain, reserved) => {
    expect(isReservedDomain(domain)).toBe(reserved);
  });
});

describe("ownershipRecord", () => {
  it.each([true, false])("is a TXT record below the domain that holds the token (required: %s)", (required) => {
    expect(ownershipRecord("mail.example.com", "token-1", required)).toEqual({
      purpose: "OWNERSHIP",
      type: "TXT",
      name: "_petrel.mail.example.com",
      value: "petrel-verification=token-1",
      required,
      status: "PENDING",
    });
  });

  it("differs for each token", () => {
    const values = ["a", "b"].map((token) => ownershipRecord("example.com", token, true).value);
    expect(new Set(values).size).toBe(2);
  });
});
