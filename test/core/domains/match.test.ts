import { describe, expect, it } from "vitest";
import { allRequiredFound, matchRecords, needsDns } from "../../../src/core/domains/match";
import { type DnsRecord, dmarcRecord, ownershipRecord } from "../../../src/core/domains/records";

const open = { required: true, status: "PENDING" as const };
const ownership = ownershipRecord("acme.com", "t0ken", true);
const dkimHost: DnsRecord = {
  purpose: "DKIM",
  type: "CNAME",
  name: "k._domainkey.acme.com",
  value: "k.mail.net",
  ...open,
};
const dkimKey: DnsRecord = {
  purpose: "DKIM",
  type: "TXT",
  name: "k._domainkey.acme.com",
  value: "k=rsa; p=MIGf",
  ...open,
};
const spf: DnsRecord = {
  purpose: "SPF",
  type: "TXT",
  name: "acme.com",
  value: "v=spf1 include:mail.net ~all",
  ...open,
};
const returnPath: DnsRecord = {
  purpose: "RETURN_PATH",
  type: "MX",
  name: "bounces.acme.com",
  value: "feedback.mail.net",
  priority: 10,
  ...open,
};
const dmarc = dmarcRecord("acme.com");

function match(record: DnsRecord, answers: string[]) {
  const [matched] = matchRecords([record], () => answers);
  return { status: matched?.status, found: matched?.found };
}

describe("matchRecords", () => {
  it.each<[promise: string, record: DnsRecord, answers: string[]]>([
    ["ownership, as it is", ownership, ["petrel-verification=t0ken"]],
    ["ownership among others", ownership, ["something else", "petrel-verification=t0ken"]],
    ["ownership with blanks around", ownership, [" petrel-verification=t0ken "]],
    ["a CNAME in any case, with its dot", dkimHost, ["K.Mail.net."]],
    ["a key with blanks and no last semicolon", { ...dkimKey, value: "k=rsa; p=MIGf;" }, ["k=rsa;p=MI Gf"]],
    ["SPF, as it is", spf, ["v=spf1 include:mail.net ~all"]],
    ["SPF beside other texts", spf, ["google-site-verification=x", "v=spf1 include:mail.net ~all"]],
    ["SPF that also names others", spf, ["v=spf1 ip4:192.0.2.1 include:other.net include:mail.net -all"]],
    ["SPF in any case, with a plus", spf, ["V=SPF1 +Include:Mail.net ?all"]],
    ["an exchange of any priority", returnPath, ["20 feedback.mail.net"]],
    ["DMARC with another policy", dmarc, ["v=DMARC1; p=reject; rua=mailto:dmarc@acme.com"]],
  ])("finds %s", (_, record, answers) => {
    expect(match(record, answers).status).toBe("FOUND");
  });

  it.each<[promise: string, record: DnsRecord, answers: string[], found?: string[]]>([
    ["another token", ownership, ["petrel-verification=other"]],
    ["a token with something behind it", ownership, ["petrel-verification=t0ken2"]],
    ["another host", dkimHost, ["k.other.net"]],
    ["a host whose end is the same", dkimHost, ["x.k.mail.net"]],
    ["another key", dkimKey, ["k=rsa; p=MIGx"]],
    ["SPF without our senders", spf, ["v=spf1 include:other.net ~all"]],
    ["SPF that refuses our senders", spf, ["v=spf1 -include:mail.net ~all"]],
    ["two SPF records, which is an error", spf, ["v=spf1 include:mail.net ~all", "v=spf1 -all"]],
    ["another exchange", returnPath, ["10 mx.other.net"]],
    ["two DMARC policies", dmarc, ["v=DMARC1; p=none", "v=DMARC1; p=reject"]],
  ])("says MISMATCH and what was found: %s", (_, record, answers) => {
    expect(match(record, answers)).toEqual({ status: "MISMATCH", found: answers });
  });

  it.each<[promise: string, record: DnsRecord, answers: string[]]>([
    ["nothing", ownership, []],
    ["no exchange", returnPath, []],
    ["texts of other kinds beside SPF", spf, ["google-site-verification=x", "v=spf10"]],
    ["texts of other kinds beside DMARC", dmarc, ["v=DMARC10; p=none", "hello"]],
  ])("stays PENDING: %s", (_, record, answers) => {
    expect(match({ ...record, status: "FOUND", found: ["gone"] }, answers)).toEqual({ status: "PENDING" });
  });

  it("leaves a record as it was when DNS could not tell", () => {
    const before: DnsRecord = { ...spf, status: "FOUND", found: ["v=spf1 include:mail.net ~all"] };
    expect(matchRecords([before], () => null)).toEqual([before]);
  });
});

describe("what decides", () => {
  it("is every required record, and no other", () => {
    const found = { ...ownership, status: "FOUND" as const };
    expect(allRequiredFound([found, dmarc])).toBe(true);
    expect(allRequiredFound([found, spf])).toBe(false);
    expect(allRequiredFound([{ ...found, status: "MISMATCH" }])).toBe(false);
    expect(allRequiredFound([])).toBe(true);
  });

  it("needs no DNS when nothing is required", () => {
    expect(needsDns([dmarc, ownershipRecord("acme.test", "t", false)])).toBe(false);
    expect(needsDns([dmarc, ownership])).toBe(true);
  });
});
