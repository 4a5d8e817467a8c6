import { describe, expect, it } from "vitest";
import { isAliasDomain, isDisposableDomain, isPersonalDomain } from "../../../src/core/verification/lists";
import { domainLists } from "../../support/domain-lists";

const kinds = {
  disposable: (domain: string) => isDisposableDomain(domainLists, domain),
  alias: isAliasDomain,
  personal: (domain: string) => isPersonalDomain(domainLists, domain),
};
const kindsOf = (domain: string) => Object.keys(kinds).filter((kind) => kinds[kind as keyof typeof kinds](domain));

describe("every domain is of one kind at most", () => {
  it.each([
    ["disposable", ["mailinator.com", "yopmail.com", "guerrillamail.com", "10minutemail.com", "box.mailinator.com"]],
    ["alias", ["simplelogin.com", "duck.com", "mozmail.com", "addy.io", "anonaddy.com", "ada.anonaddy.com"]],
    ["alias", ["privaterelay.appleid.com", "passmail.net", "33mail.com"]],
    ["personal", ["gmail.com", "googlemail.com", "yahoo.com", "yahoo.co.uk", "hotmail.com", "outlook.com", "live.com"]],
    ["personal", ["icloud.com", "me.com", "aol.com", "proton.me", "protonmail.com", "gmx.de", "web.de", "mail.ru"]],
    ["personal", ["qq.com", "163.com", "orange.fr", "libero.it", "naver.com", "zoho.com", "fastmail.com", "tuta.com"]],
  ])("%s: %j", (kind, domains) => {
    for (const domain of domains) expect(kindsOf(domain), domain).toEqual([kind]);
  });

  it.each([
    ["companies", ["google.com", "microsoft.com", "stripe.com", "github.com", "alibaba.com", "go.com"]],
    ["names below a provider's", ["mail.gmail.com", "acme.gmail.com"]],
    ["names that end like one", ["xyopmail.company", "xduck.com"]],
    ["reserved names", ["example.com", "acme.example", "acme.test"]],
    ["top levels", ["com", ""]],
  ])("none: %s", (_, domains) => {
    for (const domain of domains) expect(kindsOf(domain), domain).toEqual([]);
  });
});
