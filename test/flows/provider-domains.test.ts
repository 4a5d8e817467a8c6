import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Unavailable } from "../../src/core/errors";
import type { Mailer } from "../../src/platform/mailer/mailer";
import { openPlatform } from "../../src/platform/open-platform";
import { type Call, Outside } from "../support/outside";
import { type ProviderDouble, postmarkDouble, resendDouble, sesDouble } from "../support/provider-doubles";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** A provider whose registry of domains answers so: the first pattern of "METHOD path" that fits. */
function registry(open: (outside: Outside) => ProviderDouble, answers: [pattern: RegExp, answer: Answer][]): Mailer {
  const { host, settings } = open(outside);
  outside.play(host, (call) => {
    const asked = `${call.method} ${call.url.pathname}${call.url.search}`;
    const [, answer] = answers.find(([pattern]) => pattern.test(asked)) ?? [];
    if (!answer) return Response.json({ message: `Nothing at ${asked}` }, { status: 404 });
    return typeof answer === "function" ? answer(call) : Response.json(answer);
  });
  return openPlatform({ ...env, ...settings }, { waitUntil: () => {} }).mailer;
}

type Answer = object | ((call: Call) => Response);

const asked = () => outside.calls.map(({ method, url }) => `${method} ${url.pathname}`);

describe("ses", () => {
  const identity = (verified: boolean, more: object = {}) => ({
    IdentityType: "DOMAIN",
    VerifiedForSendingStatus: verified,
    DkimAttributes: { SigningEnabled: true, Status: "PENDING", Tokens: ["one", "two", "three"], ...more },
  });
  const dkim = (token: string, zone = "dkim.amazonses.com") => ({
    purpose: "DKIM",
    type: "CNAME",
    name: `${token}._domainkey.acme.com`,
    value: `${token}.${zone}`,
    required: true,
    status: "PENDING",
  });

  it("registers a domain and asks for the three records of Easy DKIM", async () => {
    const mailer = registry(sesDouble, [[/^POST \/v2\/email\/identities$/, identity(false)]]);
    expect(await mailer.addDomain("acme.com")).toEqual({
      ...{ verified: false, isNew: true },
      records: ["one", "two", "three"].map((t) => dkim(t)),
    });
    expect(outside.calls[0]?.json).toEqual({ EmailIdentity: "acme.com" });
  });

  it("names the zone that SES names", async () => {
    const zone = "abc.dkim.eu-west-1.amazonses.com";
    const answer = identity(false, { Tokens: ["one"], SigningHostedZone: zone });
    const mailer = registry(sesDouble, [[/^POST/, answer]]);
    expect((await mailer.addDomain("acme.com")).records).toEqual([dkim("one", zone)]);
  });

  it("finds a domain that is registered already", async () => {
    const exists = () => Response.json({ message: "already exists" }, { status: 400 });
    const mailer = registry(sesDouble, [
      [/^POST/, exists],
      [/^GET \/v2\/email\/identities\/acme\.com$/, identity(true)],
    ]);
    expect(await mailer.addDomain("acme.com")).toMatchObject({ verified: true, isNew: false });
  });

  it("tells how a domain stands, and of one it does not know", async () => {
    const mailer = registry(sesDouble, [[/^GET .*\/acme\.com$/, identity(true)]]);
    expect(await mailer.domainStatus("acme.com")).toMatchObject({ verified: true });
    expect(await mailer.domainStatus("other.com")).toBeNull();
  });

  it("forgets a domain, twice if need be", async () => {
    const mailer = registry(sesDouble, [[/^DELETE .*\/acme\.com$/, {}]]);
    await mailer.removeDomain("acme.com");
    await mailer.removeDomain("other.com");
    expect(asked()).toEqual(["DELETE /v2/email/identities/acme.com", "DELETE /v2/email/identities/other.com"]);
  });
});

describe("resend", () => {
  const list = { data: [{ id: "d-1", name: "acme.com" }], has_more: false };
  const details = (status: string, name = "send") => ({
    id: "d-1",
    status,
    records: [
      { record: "SPF", name, type: "MX", value: "feedback-smtp.eu-west-1.amazonses.com", priority: 10 },
      { record: "SPF", name, type: "TXT", value: '"v=spf1 include:amazonses.com ~all"' },
      { record: "DKIM", name: "resend._domainkey", type: "TXT", value: "p=MIGf" },
      { record: "Tracking", name: "links.acme.com", type: "CNAME", value: "links1.resend-dns.com" },
    ],
  });

  it("registers a domain and asks for its records, by their whole names", async () => {
    const mailer = registry(resendDouble, [
      [/^GET \/domains\?/, { data: [], has_more: false }],
      [/^POST \/domains$/, details("not_started")],
    ]);
    const common = { required: true, status: "PENDING" };
    expect(await mailer.addDomain("acme.com")).toEqual({
      ...{ verified: false, isNew: true },
      records: [
        {
          ...common,
          ...{ purpose: "RETURN_PATH", type: "MX", name: "send.acme.com", priority: 10 },
          value: "feedback-smtp.eu-west-1.amazonses.com",
        },
        {
          ...common,
          ...{ purpose: "SPF", type: "TXT", name: "send.acme.com", value: "v=spf1 include:amazonses.com ~all" },
        },
        { ...common, purpose: "DKIM", type: "TXT", name: "resend._domainkey.acme.com", value: "p=MIGf" },
      ],
    });
  });

  it("takes names of a subdomain as relative to the registrable domain", async () => {
    const mailer = registry(resendDouble, [
      [/^GET \/domains\?/, { data: [], has_more: false }],
      [/^POST/, details("not_started", "send.mail")],
    ]);
    expect((await mailer.addDomain("mail.acme.co.uk")).records[0]?.name).toBe("send.mail.acme.co.uk");
  });

  it("finds a domain that is registered already, on whatever page", async () => {
    const mailer = registry(resendDouble, [
      [/^GET \/domains\?limit=100$/, { data: [{ id: "d-0", name: "other.com" }], has_more: true }],
      [/^GET \/domains\?limit=100&after=d-0$/, list],
      [/^GET \/domains\/d-1$/, details("verified")],
    ]);
    expect(await mailer.addDomain("acme.com")).toMatchObject({ verified: true, isNew: false });
  });

  it("looks again when asked how a domain stands", async () => {
    const mailer = registry(resendDouble, [
      [/^GET \/domains\?/, list],
      [/^GET \/domains\/d-1$/, details("pending")],
      [/^POST \/domains\/d-1\/verify$/, { id: "d-1" }],
    ]);
    expect(await mailer.domainStatus("acme.com")).toMatchObject({ verified: false });
    expect(asked()).toContain("POST /domains/d-1/verify");
    expect(await mailer.domainStatus("other.com")).toBeNull();
  });

  it("forgets a domain, and one it does not know", async () => {
    const mailer = registry(resendDouble, [
      [/^GET \/domains\?/, list],
      [/^DELETE \/domains\/d-1$/, {}],
    ]);
    await mailer.removeDomain("acme.com");
    await mailer.removeDomain("other.com");
    expect(asked().filter((call) => call.startsWith("DELETE"))).toEqual(["DELETE /domains/d-1"]);
  });
});

describe("postmark", () => {
  const list = { TotalCount: 1, Domains: [{ ID: 7, Name: "acme.com" }] };
  const none = { TotalCount: 0, Domains: [] };
  const details = (DKIMVerified: boolean) => ({
    ...{ ID: 7, Name: "acme.com", DKIMVerified, DKIMHost: "", DKIMTextValue: "" },
    ...{ DKIMPendingHost: "2026pm._domainkey.acme.com", DKIMPendingTextValue: "k=rsa;p=MIGf" },
    ...{ ReturnPathDomain: "pm-bounces.acme.com", ReturnPathDomainCNAMEValue: "pm.mtasv.net" },
  });

  it("registers a domain with a return path, and asks for both records", async () => {
    const mailer = registry(postmarkDouble, [
      [/^GET \/domains\?/, none],
      [/^POST \/domains$/, details(false)],
    ]);
    expect(await mailer.addDomain("acme.com")).toEqual({
      ...{ verified: false, isNew: true },
      records: [
        {
          ...{ purpose: "DKIM", type: "TXT", name: "2026pm._domainkey.acme.com", value: "k=rsa;p=MIGf" },
          ...{ required: true, status: "PENDING" },
        },
        {
          ...{ purpose: "RETURN_PATH", type: "CNAME", name: "pm-bounces.acme.com", value: "pm.mtasv.net" },
          ...{ required: false, status: "PENDING" },
        },
      ],
    });
    expect(outside.calls.at(-1)?.json).toEqual({ Name: "acme.com", ReturnPathDomain: "pm-bounces.acme.com" });
  });

  it("finds a domain that is registered already", async () => {
    const mailer = registry(postmarkDouble, [
      [/^GET \/domains\?/, list],
      [/^GET \/domains\/7$/, details(true)],
    ]);
    expect(await mailer.addDomain("acme.com")).toMatchObject({ verified: true, isNew: false });
  });

  it("looks again when asked how a domain stands", async () => {
    const mailer = registry(postmarkDouble, [
      [/^GET \/domains\?/, list],
      [/^GET \/domains\/7$/, details(false)],
      [/^PUT \/domains\/7\/verifyDkim$/, details(true)],
    ]);
    expect(await mailer.domainStatus("acme.com")).toMatchObject({ verified: true });
    expect(await mailer.domainStatus("other.com")).toBeNull();
  });

  it("forgets a domain", async () => {
    const mailer = registry(postmarkDouble, [
      [/^GET \/domains\?/, list],
      [/^DELETE \/domains\/7$/, {}],
    ]);
    await mailer.removeDomain("acme.com");
    expect(asked()).toContain("DELETE /domains/7");
  });

  it("cannot register one without the account's token, and says so", async () => {
    const { settings } = postmarkDouble(outside);
    const account = { ...env, ...settings, POSTMARK_ACCOUNT_TOKEN: "" };
    const { mailer } = openPlatform(account, { waitUntil: () => {} });
    await expect(mailer.addDomain("acme.com")).rejects.toThrow(Unavailable);
    expect(outside.calls).toEqual([]);
  });
});

it.each([
  ["ses", sesDouble],
  ["resend", resendDouble],
  ["postmark", postmarkDouble],
])("%s that refuses or does not answer makes the call Unavailable", async (_, open) => {
  const refused = registry(open, [[/./, () => Response.json({ message: "no" }, { status: 500 })]]);
  await expect(refused.addDomain("acme.com")).rejects.toThrow(Unavailable);
  await expect(refused.domainStatus("acme.com")).rejects.toThrow(Unavailable);
  const gone = registry(open, [
    [
      /./,
      () => {
        throw new TypeError("Network connection lost.");
      },
    ],
  ]);
  await expect(gone.removeDomain("acme.com")).rejects.toThrow(Unavailable);
});
