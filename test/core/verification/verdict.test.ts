import { describe, expect, it } from "vitest";
import { readAddress } from "../../../src/core/verification/address";
import { type DomainFacts, judge, nothingFound } from "../../../src/core/verification/verdict";
import { domainLists } from "../../support/domain-lists";

const alive: DomainFacts = {
  nameServers: ["ns1.acme.com"],
  addresses: ["192.0.2.1"],
  exchanges: ["10 mail.acme.com"],
  serversFail: false,
};

function verdict(written: string, facts: DomainFacts = alive) {
  const address = readAddress(written);
  if (!address) throw new Error(`${written} is no address`);
  return judge(address, facts, domainLists);
}

const clean = {
  valid: true,
  isDisposable: false,
  isAlias: false,
  isTypo: false,
  isPlusAddressed: false,
  isPersonalEmail: false,
  domainExists: true,
  hasWebsite: true,
  hasMxRecords: true,
  reasons: [],
};

describe("judge", () => {
  it("has nothing against a clean address", async () => {
    await expect(verdict("Ada@Acme.com")).resolves.toEqual({ email: "ada@acme.com", ...clean });
  });

  it.each<[what: string, written: string, flag: object]>([
    ["a personal one", "ada@gmail.com", { isPersonalEmail: true }],
    ["a plus-addressed one", "ada+news@acme.com", { isPlusAddressed: true }],
    ["a plus at the start, which is no tag", "+ada@acme.com", {}],
    ["one without a website", "ada@acme.com", { hasWebsite: false }],
  ])("has nothing against %s", async (_, written, flag) => {
    const facts = "hasWebsite" in flag ? { ...alive, addresses: [] } : alive;
    await expect(verdict(written, facts)).resolves.toEqual({ email: written, ...clean, ...flag });
  });

  it.each<[what: string, written: string, flags: object, reason: RegExp]>([
    ["a disposable one", "ada@mailinator.com", { isDisposable: true }, /disposable/],
    ["an alias", "ada@duck.com", { isAlias: true }, /forwards/],
    ["a misspelt one", "ada@gnail.com", { isTypo: true, suggestedEmail: "ada@gmail.com" }, /ada@gmail\.com/],
  ])("says why to look twice at %s, which stays valid", async (_, written, flags, reason) => {
    await expect(verdict(written)).resolves.toEqual({
      email: written,
      ...clean,
      ...flags,
      reasons: [expect.stringMatching(reason)],
    });
  });

  it.each<[what: string, facts: DomainFacts, flags: object, reason: RegExp]>([
    [
      "does not exist",
      nothingFound,
      { domainExists: false, hasWebsite: false, hasMxRecords: false },
      /acme\.com does not exist/,
    ],
    [
      "has name servers that fail",
      { ...nothingFound, serversFail: true },
      { domainExists: false, hasWebsite: false, hasMxRecords: false },
      /SERVFAIL/,
    ],
    [
      "has name servers that fail to say where its mail goes",
      { ...alive, exchanges: [], serversFail: true },
      { hasMxRecords: false },
      /SERVFAIL/,
    ],
    ["has no exchange, whatever its website", { ...alive, exchanges: [] }, { hasMxRecords: false }, /no mail exchange/],
    ["takes no mail by its own word", { ...alive, exchanges: ["0 ."] }, { hasMxRecords: false }, /null MX/],
  ])("refuses an address whose domain %s", async (_, facts, flags, reason) => {
    await expect(verdict("ada@acme.com", facts)).resolves.toEqual({
      email: "ada@acme.com",
      ...clean,
      valid: false,
      ...flags,
      reasons: [expect.stringMatching(reason)],
    });
  });

  it("keeps the tag and the quotes in what it suggests", async () => {
    expect((await verdict('"a@b"@gnail.com')).suggestedEmail).toBe('"a@b"@gmail.com');
    await expect(verdict("ada+x@gnail.com", nothingFound)).resolves.toMatchObject({
      valid: false,
      suggestedEmail: "ada+x@gmail.com",
      reasons: [expect.stringMatching(/does not exist/), expect.stringMatching(/misspelt/)],
    });
  });

  it.each(["a..b@gmail.com", "ada@localhost", `${"a".repeat(65)}@acme.com`, "ada@[127.0.0.1]"])(
    "never has an empty list of reasons against bad syntax: %s",
    async (written) => {
      const { valid, reasons, domainExists } = await verdict(written, nothingFound);
      expect({ valid, domainExists, reasons: reasons.length }).toEqual({
        valid: false,
        domainExists: false,
        reasons: 1,
      });
    },
  );
});
