import { describe, expect, it } from "vitest";
import { breakLinks, breakLinksIn } from "../../../src/core/mail/break-links";

describe("breakLinks", () => {
  it.each([
    ["https://evil.example.com/path.html?a=b.c", "https[:]//evil[.]example[.]com/path[.]html?a=b[.]c"],
    ["HTTP://EVIL.COM", "HTTP[:]//EVIL[.]COM"],
    ["http://10.0.0.1/login", "http[:]//10[.]0[.]0[.]1/login"],
    ["ftp://a.b and evil+app://c.d", "ftp[:]//a[.]b and evil+app[:]//c[.]d"],
    ["see evil.example.com now", "see evil[.]example[.]com now"],
    ["www.evil.co", "www[.]evil[.]co"],
    ["//evil.com/x", "[/]/evil[.]com/x"],
    ["write to ada@example.com", "write to ada@example[.]com"],
    ["xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd[.]xn--p1ai"],
    ["пример.рф and 例え。テスト and evil．com", "пример[.]рф and 例え[.]テスト and evil[.]com"],
    ['<a href="https://evil.com">x</a>', '[<]a href="https[:]//evil[.]com">x[<]/a>'],
    ["<a href=//1.2.3.4>x</a>", "[<]a href=[/]/1[.]2[.]3[.]4>x[<]/a>"],
    [
      "/\\1.2.3.4 https:\\\\1.2.3.4 https:/1.2.3.4",
      "[/]/1[.]2[.]3[.]4 https[:]\\\\1[.]2[.]3[.]4 https[:]/1[.]2[.]3[.]4",
    ],
    ["///1.2.3.4", "[/]/1[.]2[.]3[.]4"],
    ["https://a.com//b.c?to=http://1.2.3.4", "https[:]//a[.]com[/]/b[.]c?to=http[:]//1[.]2[.]3[.]4"],
    ["https:&#x2F;&#x2F;evil&period;com", "https:[&]#x2F;[&]#x2F;evil[&]period;com"],
    ["<!-- <? </p> <", "[<]!-- [<]? [<]/p> [<]"],
    ["&", "[&]"],
    ["1.evil-site.com:8080", "1[.]evil-site[.]com:8080"],
  ])("breaks %s", (text, broken) => expect(breakLinks(text)).toBe(broken));

  it.each([
    "Hello. How are you? Version 2.0.1 costs 3.14 …",
    "e.g. this",
    "Ada Lovelace",
    "http: // nothing",
    "AT&T",
    "1 < 2, I <3 you :/",
    "and/or",
    "",
  ])("leaves %s", (text) => expect(breakLinks(text)).toBe(text));

  it("leaves nothing to break a second time", () => {
    for (const text of ["https://evil.com and www.evil.com", "<a href=///1.2.3.4>&#46;</a>", "https:///evil.com//x"]) {
      const once = breakLinks(text);
      expect(breakLinks(once)).toBe(once);
    }
  });

  it("takes long texts in little time", () => {
    const text = "a".repeat(200_000);
    for (const long of [
      text,
      "a.".repeat(100_000),
      "://".repeat(70_000),
      "+-.".repeat(70_000),
      "<&/".repeat(70_000),
      "/".repeat(200_000),
      `&${text}`,
    ]) {
      const begun = performance.now();
      breakLinks(long);
      expect(performance.now() - begun).toBeLessThan(500);
    }
  });

  it("reaches every text in a value, and its keys", () => {
    const value = { "evil.com": [{ deep: "evil.com", n: 1.5, none: null }], __proto__: "evil.com" };
    expect(JSON.stringify(breakLinksIn(JSON.parse(JSON.stringify(value))))).toBe(
      '{"evil[.]com":[{"deep":"evil[.]com","n":1.5,"none":null}]}',
    );
  });
});
