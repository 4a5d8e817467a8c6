import { describe, expect, it } from "vitest";
import { suggestDomain } from "../../../src/core/verification/typos";

describe("suggestDomain", () => {
  it.each([
    ["gmial.com", "gmail.com"],
    ["gmai.com", "gmail.com"],
    ["gmal.com", "gmail.com"],
    ["gnail.com", "gmail.com"],
    ["gamil.com", "gmail.com"],
    ["gmaill.com", "gmail.com"],
    ["gmail.co", "gmail.com"],
    ["gmail.cm", "gmail.com"],
    ["gmail.om", "gmail.com"],
    ["gmail.con", "gmail.com"],
    ["gmail.comm", "gmail.com"],
    ["gmial.con", "gmail.com"],
    ["hotmial.com", "hotmail.com"],
    ["hotmal.com", "hotmail.com"],
    ["hotmail.con", "hotmail.com"],
    ["outlok.com", "outlook.com"],
    ["outloo.com", "outlook.com"],
    ["yaho.com", "yahoo.com"],
    ["yahooo.com", "yahoo.com"],
    ["yhaoo.com", "yahoo.com"],
    ["yahoo.con", "yahoo.com"],
    ["iclod.com", "icloud.com"],
    ["protonmial.com", "protonmail.com"],
    ["acme.con", "acme.com"],
    ["acme.ocm", "acme.com"],
    ["acme.nett", "acme.net"],
    ["mail.acme.con", "mail.acme.com"],
  ])("%s: %s was meant", (written, meant) => expect(suggestDomain(written)).resolves.toBe(meant));

  it.each([
    ...["gmail.com", "yahoo.com", "yahoo.co.uk", "hotmail.com", "outlook.com", "icloud.com", "ymail.com", "proton.me"],
    ...[
      "yahoo.ca",
      "hotmail.de",
      "outlook.fr",
      "outlook.com.br",
      "live.nl",
      "libero.it",
      "gmx.net",
      "web.de",
      "aol.com",
    ],
    ...["acme.com", "acme.co", "acme.io", "acme.dev", "stripe.com", "apple.com", "email.com", "fmail.com", "nail.com"],
    ...["cloud.com", "mail.com", "he.com", "box.net", "man.com", "sky.io", "att.com", "hay.com", "act.net", "qq.com"],
    ...["mail.acme.com", "gmail.acme.com", "acme.test", "petrel.example", "app.localhost", "example.com", "acme.zz"],
    ...["xn--bcher-kva.de", "xn--e1afmkfd.xn--p1ai"],
  ])("%s is as good as any", (domain) => expect(suggestDomain(domain)).resolves.toBeNull());
});
