import { describe, expect, it } from "vitest";
import { asciiDomain, domainOf, normalizeEmail } from "../../../src/core/mail/address";

const local64 = "l".repeat(64);
const label63 = "d".repeat(63);
/** A domain of exactly so many characters, in labels of at most 63. */
const domainOfLength = (length: number): string => {
  const labels = `${label63}.${label63}.${label63}.`;
  return `${labels}${"e".repeat(length - labels.length - 3)}.co`;
};

/** Every address the contract takes, with the one form contacts are found by. */
const valid: [written: string, email: string][] = [
  ["ada@example.com", "ada@example.com"],
  ["a@b.co", "a@b.co"],
  ["a@b.c", "a@b.c"],
  ["1@2.com", "1@2.com"],

  // RFC 5321 dot-atoms: each of the characters that need no quotes.
  ["first.last@example.com", "first.last@example.com"],
  ["a.b.c.d@example.com", "a.b.c.d@example.com"],
  ["ada+tag@example.com", "ada+tag@example.com"],
  ["ada-lovelace_1@example.com", "ada-lovelace_1@example.com"],
  ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
  ["o'neill@example.com", "o'neill@example.com"],
  ["customer/department=shipping@example.com", "customer/department=shipping@example.com"],
  ["-@example.com", "-@example.com"],

  // One form, however it is written.
  ["ADA@EXAMPLE.COM", "ada@example.com"],
  ["Ada.Lovelace@Example.Com", "ada.lovelace@example.com"],
  ["  ada@example.com  ", "ada@example.com"],
  ["\tada@example.com\r\n", "ada@example.com"],
  ["\u00a0ada@example.com\ufeff", "ada@example.com"],

  // Domains.
  ["ada@mail.eu.example.co.uk", "ada@mail.eu.example.co.uk"],
  ["ada@my-shop.example", "ada@my-shop.example"],
  ["ada@a--b.com", "ada@a--b.com"],
  ["ada@123.com", "ada@123.com"],
  ["ada@1.2.3.4.com", "ada@1.2.3.4.com"],
  ["ada@petrel.test", "ada@petrel.test"],
  ["ada@simulator.test", "ada@simulator.test"],

  // Internationalised domains in their ASCII form.
  ["ada@münchen.de", "ada@xn--mnchen-3ya.de"],
  ["ada@MÜNCHEN.de", "ada@xn--mnchen-3ya.de"],
  ["ada@mu\u0308nchen.de", "ada@xn--mnchen-3ya.de"],
  ["ada@xn--mnchen-3ya.de", "ada@xn--mnchen-3ya.de"],
  ["ada@XN--MNCHEN-3YA.DE", "ada@xn--mnchen-3ya.de"],
  ["ada@faß.de", "ada@xn--fa-hia.de"],
  ["ada@пример.рф", "ada@xn--e1afmkfd.xn--p1ai"],
  ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ["ada@例え。テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ["ada@ｅｘａｍｐｌｅ.com", "ada@example.com"],
  ["ada@exam\u00adple.com", "ada@example.com"],

  // Limits: 64 before the @, 63 a label, 254 in all.
  [`${local64}@example.com`, `${local64}@example.com`],
  [`ada@${label63}.com`, `ada@${label63}.com`],
  [`a@${domainOfLength(252)}`, `a@${domainOfLength(252)}`],
  [`${"l".repeat(53)}@${domainOfLength(200)}`, `${"l".repeat(53)}@${domainOfLength(200)}`],
];

const invalid: [why: string, written: string][] = [
  ["nothing", ""],
  ["blanks", "   "],
  ["a word", "nope"],
  ["only an @", "@"],
  ["nothing before the @", "@example.com"],
  ["nothing after the @", "ada@"],
  ["two @", "ada@@example.com"],
  ["an @ in the local part", "ada@home@example.com"],

  ["a dot first", ".ada@example.com"],
  ["a dot last", "ada.@example.com"],
  ["two dots", "ada..lovelace@example.com"],
  ["only a dot", ".@example.com"],
  ["a blank in the local part", "ada lovelace@example.com"],
  ["a blank before the @", "ada @example.com"],
  ["a comma", "ada,bob@example.com"],
  ["a semicolon", "ada;bob@example.com"],
  ["a colon", "ada:bob@example.com"],
  ["brackets", "ada[1]@example.com"],
  ["parentheses, a comment", "ada(comment)@example.com"],
  ["angle brackets", "<ada@example.com>"],
  ["a backslash", "ada\\@example.com"],
  ["a name before it", "Ada <ada@example.com>"],
  ["mailto:", "mailto:ada@example.com"],
  ["a letter outside ASCII in the local part", "adä@example.com"],
  ["the Kelvin sign, which is lower-cased to k", "\u212aate@example.com"],

  ["a quoted local part", '"ada"@example.com'],
  ["a quoted local part with a blank", '"ada lovelace"@example.com'],
  ["a quoted local part with an @", '"ada@home"@example.com'],
  ["an empty quoted local part", '""@example.com'],

  ["a domain of one label", "ada@localhost"],
  ["a top level alone", "ada@com"],
  ["a dot at the end", "ada@example.com."],
  ["two dots at the end", "ada@example.com.."],
  ["a dot at the start of the domain", "ada@.example.com"],
  ["two dots in the domain", "ada@example..com"],
  ["an ideographic dot at the end", "ada@example.com。"],
  ["a hyphen that starts a label", "ada@-example.com"],
  ["a hyphen that ends a label", "ada@example-.com"],
  ["an underscore in the domain", "ada@exa_mple.com"],
  ["a star", "ada@*.example.com"],
  ["a blank in the domain", "ada@exam ple.com"],
  ["a wide blank in the domain", "ada@exam\u3000ple.com"],
  ["an empty punycode label", "ada@xn--.com"],
  ["a right-to-left override", "ada@ex\u202eample.com"],
  ["a domain of nothing but a joiner", "ada@\u200d.com"],
  ["a fullwidth comma in the domain", "ada@exa，mple.com"],
  ["a fullwidth angle bracket in the domain", "ada@exa＞mple.com"],
  ["a top level of digits", "ada@example.123"],
  ["a top level of other digits", "ada@example.１２３"],

  ["an IPv4 address", "ada@127.0.0.1"],
  ["a short IPv4 address", "ada@127.1"],
  ["an IPv4 address in hex", "ada@0x7f.0.0.0x1"],
  ["an IPv4 address as one number", "ada@2130706433"],
  ["an IPv4 literal", "ada@[127.0.0.1]"],
  ["an IPv6 literal", "ada@[IPv6:::1]"],
  ["a bare IPv6 address", "ada@::1"],

  ["a port", "ada@example.com:25"],
  ["a path", "ada@example.com/path"],
  ["a path with a backslash", "ada@example.com\\path"],
  ["a query", "ada@example.com?subject=x"],
  ["a fragment", "ada@example.com#x"],
  ["a percent-encoded letter in the domain", "ada@ex%61mple.com"],

  ["a header after it", "ada@example.com\r\nBcc: eve@example.com"],
  ["a header after it, by a line feed", "ada@example.com\nBcc: eve@example.com"],
  ["a header after it, by a carriage return", "ada@example.com\rBcc: eve@example.com"],
  ["a header without an address in it", "ada@example.com\r\nX-Evil: 1"],
  ["a folded line", "ada@example.com\r\n eve"],
  ["a header before the @", "ada\r\nBcc: eve@example.com"],
  ["an encoded line break", "ada%0d%0aBcc:eve@example.com"],
  ["a second recipient", "ada@example.com,eve@example.com"],
  ["a second recipient after a blank", "ada@example.com eve@example.com"],
  ["a second recipient in brackets", "ada@example.com<eve@example.com>"],

  ["65 characters before the @", `${"l".repeat(65)}@example.com`],
  ["64 characters in a label", `ada@${"d".repeat(64)}.com`],
  ["255 characters in all", `ab@${domainOfLength(252)}`],
  ["a domain of 254 characters", `a@${domainOfLength(254)}`],
  ["255 characters once the domain is in ASCII", `${"l".repeat(64)}@${"ü".repeat(55)}.${label63}.${label63}.de`],
  ["thousands of characters", `${"a.".repeat(5000)}a@example.com`],
];

/** C0, DEL and C1: none may be anywhere, except for those that trimming takes off the ends. */
const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)].map((code) =>
  String.fromCodePoint(code),
);

describe("normalizeEmail", () => {
  it.each(valid)("%j is %s", (written, email) => {
    expect(normalizeEmail(written)).toBe(email);
  });

  it.each(invalid)("refuses %s", (_, written) => {
    expect(normalizeEmail(written)).toBeNull();
  });

  it("refuses every control character wherever it stands", () => {
    for (const control of controls) {
      const inside = [`a${control}da@example.com`, `ada${control}@example.com`, `ada@${control}example.com`];
      const later = [`ada@exam${control}ple.com`, `ada@example.${control}com`];
      const ends = control.trim() === "" ? [] : [`${control}ada@example.com`, `ada@example.com${control}`];
      for (const written of [...inside, ...later, ...ends]) {
        expect(normalizeEmail(written), JSON.stringify(written)).toBeNull();
      }
    }
  });

  it.each(valid)("changes nothing when %j is normalized again", (_, email) => {
    expect(normalizeEmail(email)).toBe(email);
  });

  it("whatever character is put wherever into an address, gives only what a header can hold", () => {
    const characters = [...controls, ..." !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", ..."0aZéßıİſK١۰。．，＜＠�"];
    const invisible = [
      "\u200b",
      "\u200c",
      "\u200d",
      "\u200e",
      "\u202e",
      "\u2028",
      "\u2060",
      "\ufe0f",
      "\ufeff",
      "\u{e0041}",
    ];
    let accepted = 0;
    for (const character of [...characters, ...invisible]) {
      for (const base of ["ada@example.com", "a.b@münchen.de", "x@xn--mnchen-3ya.de"]) {
        for (let at = 0; at <= base.length; at++) {
          const email = normalizeEmail(base.slice(0, at) + character + base.slice(at));
          if (email === null) continue;
          accepted++;
          expect(email).toMatch(/^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9.-]{3,253}$/);
          expect(normalizeEmail(email)).toBe(email);
          expect(email.length).toBeLessThanOrEqual(254);
        }
      }
    }
    expect(accepted).toBeGreaterThan(500);
  });
});

describe("asciiDomain", () => {
  it.each<[written: string, domain: string | null]>([
    ["example.com", "example.com"],
    ["EXAMPLE.com", "example.com"],
    ["co.uk", "co.uk"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    [domainOfLength(253), domainOfLength(253)],
    [domainOfLength(254), null],
    ["localhost", null],
    [" example.com", null],
    ["example.com ", null],
    ["example.com\u0000", null],
    ["", null],
  ])("%j is %s", (written, domain) => {
    expect(asciiDomain(written)).toBe(domain);
  });
});

it.each([
  ["ada@example.com", "example.com"],
  ["o'neill+tag@mail.example.co.uk", "mail.example.co.uk"],
])("the domain of %s is %s", (email, domain) => {
  expect(domainOf(email)).toBe(domain);
});
