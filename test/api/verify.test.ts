import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/platform/env";
import { useDns } from "../support/dns";
import { admin, bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { callWith } from "../support/with-settings";

const world = useDns();
const fresh = () => `v-${crypto.randomUUID().slice(0, 8)}.com`;

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

async function verify(email: string) {
  const project = await newProject();
  const answer = await project.api.post("/v1/verify", { email });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body.success).toBe(true);
  return answer.body.data;
}

describe("POST /v1/verify", () => {
  it("has nothing against a clean address, and asks four questions", async () => {
    const domain = fresh();
    world.dns.host(domain);
    expect(await verify(` Ada@${domain.toUpperCase()} `)).toEqual({ email: `ada@${domain}`, ...clean });
    expect(world.dns.asked.toSorted()).toEqual(
      ["A", "AAAA", "MX", "NS"].map((type) => `cloudflare-dns.com ${type} ${domain}`),
    );
  });

  it("refuses a domain without name servers, and waits for nothing else", async () => {
    const domain = fresh();
    world.dns.records[`A ${domain}`] = ["192.0.2.1"];
    world.dns.records[`MX ${domain}`] = [`10 mail.${domain}.`];
    expect(await verify(`ada@${domain}`)).toEqual({
      email: `ada@${domain}`,
      ...clean,
      valid: false,
      domainExists: false,
      hasWebsite: false,
      hasMxRecords: false,
      reasons: [expect.stringContaining(domain)],
    });
  });

  it("does not take an address record for a mail exchange", async () => {
    const domain = fresh();
    world.dns.host(domain);
    delete world.dns.records[`MX ${domain}`];
    expect(await verify(`ada@${domain}`)).toMatchObject({
      valid: false,
      hasWebsite: true,
      hasMxRecords: false,
      reasons: [expect.stringMatching(/MX/)],
    });
  });

  it("knows a null MX for what it is", async () => {
    const domain = fresh();
    world.dns.host(domain);
    world.dns.records[`MX ${domain}`] = ["0 ."];
    expect(await verify(`ada@${domain}`)).toMatchObject({
      valid: false,
      hasMxRecords: false,
      reasons: [expect.stringMatching(/null MX/)],
    });
  });

  it("counts AAAA as a website, and none at all is no fault", async () => {
    const domain = fresh();
    world.dns.host(domain);
    delete world.dns.records[`A ${domain}`];
    expect(await verify(`ada@${domain}`)).toMatchObject({ valid: true, hasWebsite: false, reasons: [] });
    world.dns.records[`AAAA ${domain}`] = ["2001:db8::1"];
    expect(await verify(`ada@${domain}`)).toMatchObject({ valid: true, hasWebsite: true });
  });

  it("takes the name servers of the registered name for one below it", async () => {
    const domain = fresh();
    world.dns.host(domain);
    world.dns.records[`MX mail.${domain}`] = [`10 mail.${domain}.`];
    expect(await verify(`ada@mail.${domain}`)).toMatchObject({ valid: true, domainExists: true, hasWebsite: false });
    world.dns.records[`TXT quiet.${domain}`] = ['"exists"'];
    const quiet = { valid: false, domainExists: true, hasMxRecords: false, reasons: [expect.stringMatching(/MX/)] };
    expect(await verify(`ada@quiet.${domain}`)).toMatchObject(quiet);
    // A name exists also when only names below it have records.
    world.dns.records[`TXT a.between.${domain}`] = ['"exists"'];
    expect(await verify(`ada@between.${domain}`)).toMatchObject(quiet);
  });

  it("does not take the name servers of the registered name for one below it that does not exist", async () => {
    const domain = fresh();
    world.dns.host(domain);
    expect(await verify(`ada@gone.${domain}`)).toEqual({
      email: `ada@gone.${domain}`,
      ...clean,
      valid: false,
      domainExists: false,
      hasWebsite: false,
      hasMxRecords: false,
      reasons: [expect.stringContaining(`gone.${domain} does not exist`)],
    });
  });

  it("says why when the domain's own name servers fail, whichever resolver asks them", async () => {
    const domain = fresh();
    world.dns.host(domain);
    world.dns.broken.add(domain);
    const broken = {
      ...clean,
      valid: false,
      domainExists: false,
      hasWebsite: false,
      hasMxRecords: false,
      reasons: [expect.stringMatching(/SERVFAIL/)],
    };
    expect(await verify(`ada@${domain}`)).toEqual({ email: `ada@${domain}`, ...broken });
    expect(new Set(world.dns.asked)).toContain(`dns.google NS ${domain}`);
    expect(await verify(`ada@gone.${domain}`)).toMatchObject({ valid: false, domainExists: false });

    // The zone of the registered name fails, while its parent says that the name below is there.
    world.dns.records[`MX mail.${domain}`] = [`10 mail.${domain}.`];
    expect(await verify(`ada@mail.${domain}`)).toEqual({ email: `ada@mail.${domain}`, ...broken });
  });

  it("says why when the name servers fail only for the mail exchange", async () => {
    const domain = fresh();
    world.dns.host(domain);
    const respond = world.dns.respond.bind(world.dns);
    world.dns.respond = (url, signal) =>
      url.searchParams.get("type") === "MX" ? Response.json({ Status: 2 }) : respond(url, signal);
    expect(await verify(`ada@${domain}`)).toEqual({
      email: `ada@${domain}`,
      ...clean,
      valid: false,
      hasMxRecords: false,
      reasons: [expect.stringMatching(/SERVFAIL/)],
    });
  });

  it("asks for an internationalized domain by its ASCII name", async () => {
    const name = fresh();
    world.dns.host(`xn--bcher-kva.${name}`);
    world.dns.host(name);
    expect(await verify(`ada@bücher.${name}`)).toEqual({ email: `ada@xn--bcher-kva.${name}`, ...clean });
  });

  it.each<[what: string, email: string, flags: object]>([
    ["disposable", "ada@mailinator.com", { isDisposable: true, reasons: [expect.stringContaining("disposable")] }],
    ["an alias", "ada@simplelogin.com", { isAlias: true, reasons: [expect.stringContaining("forwards")] }],
    ["personal", "ada@gmail.com", { isPersonalEmail: true }],
    ["plus-addressed and personal", "ada+x@gmail.com", { isPersonalEmail: true, isPlusAddressed: true }],
  ])("flags what is %s, which stays valid", async (_, email, flags) => {
    world.dns.host(email.slice(email.indexOf("@") + 1));
    expect(await verify(email)).toEqual({ email, ...clean, ...flags });
  });

  it("says what was probably meant", async () => {
    world.dns.host("gmial.com");
    expect(await verify("ada@gmial.com")).toMatchObject({
      valid: true,
      isTypo: true,
      suggestedEmail: "ada@gmail.com",
      reasons: expect.arrayContaining([expect.stringContaining("ada@gmail.com")]),
    });
  });

  it("takes 64 characters before the @", async () => {
    const domain = fresh();
    world.dns.host(domain);
    const email = `${"a".repeat(64)}@${domain}`;
    expect(await verify(email)).toMatchObject({ email, valid: true, reasons: [] });
  });

  it.each([
    ["65 characters before the @", `${"a".repeat(65)}@acme.com`],
    ["more than 254 characters", `ada@${`${"a".repeat(49)}.`.repeat(5)}com`],
    ["a dot in the wrong place", "a..b@acme.com"],
    ["a quoted part before the @, which no other call takes", '"ada lovelace"@acme.com'],
    ["a letter beyond ASCII before the @", "adä@acme.com"],
    ["an address literal", "ada@[192.0.2.1]"],
    ["no host name behind the @", "ada@localhost"],
  ])("refuses bad syntax without asking anybody: %s", async (_, email) => {
    const verdict = await verify(email);
    expect(verdict).toMatchObject({ valid: false, domainExists: false, hasWebsite: false, hasMxRecords: false });
    expect(verdict.reasons).not.toEqual([]);
    expect(world.dns.asked).toEqual([]);
  });

  it.each([
    ["nope", "nope", "invalid_string"],
    ["empty", "", "invalid_string"],
    ["no domain", "ada@", "invalid_string"],
    ["no mailbox", "@acme.com", "invalid_string"],
    ["with a name", "Ada <ada@acme.com>", "invalid_string"],
    ["two", "ada@acme.com, bob@acme.com", "invalid_string"],
    ["missing", undefined, "required"],
    ["null", null, "invalid_type"],
    ["a number", 42, "invalid_type"],
    ["a list", ["ada@acme.com"], "invalid_type"],
  ])("says 422 to what is no address at all: %s", async (_, email, code) => {
    expectInvalid(await (await newProject()).api.post("/v1/verify", { email }), "email", code);
    expect(world.dns.asked).toEqual([]);
  });

  it("says 400 to a body that is not JSON", async () => {
    expectRefusal(await (await newProject()).api.post("/v1/verify", "{"), 400, "BAD_REQUEST");
  });

  it("takes a secret key only", async () => {
    const { keys } = await newProject();
    expectRefusal(await call("POST", "/v1/verify", { email: "a@acme.com" }), 401, "INVALID_API_KEY");
    const withPublic = await call("POST", "/v1/verify", { email: "a@acme.com" }, bearer(keys.public));
    expectRefusal(withPublic, 401, "INVALID_API_KEY");
  });

  it("works in a disabled project, as it changes nothing", async () => {
    const domain = fresh();
    world.dns.host(domain);
    const project = await newProject();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await project.api.post("/v1/verify", { email: `ada@${domain}` })).status).toBe(200);
  });
});

describe("resolvers", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Whoever says nothing is waited for in no time; the mock tells how long it would have been. */
  const skipWaiting = () => vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort("timeout"));

  it.each(["unreachable", "500", "not JSON", "silent"] as const)(
    "says 503 and when to try again when both are: %s",
    async (trouble) => {
      const patience = skipWaiting();
      world.dns.goDown(trouble);
      const answer = await (await newProject()).api.post("/v1/verify", { email: `ada@${fresh()}` });
      expectRefusal(answer, 503, "EXTERNAL_SERVICE_ERROR");
      expect(patience).toHaveBeenCalledWith(2_000);
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    },
  );

  it.each(["unreachable", "server failure", "500", "not JSON", "silent"] as const)(
    "asks the second when the first is: %s",
    async (trouble) => {
      const patience = skipWaiting();
      const domain = fresh();
      world.dns.host(domain);
      world.dns.trouble = { "cloudflare-dns.com": trouble };
      expect(await verify(`ada@${domain}`)).toEqual({ email: `ada@${domain}`, ...clean });
      expect(patience).toHaveBeenCalledWith(2_000);
    },
  );

  it.each(["cloudflare-dns.com", "dns.google"] as const)(
    "says 503 when one cannot ask the domain's name servers, and the other is out of reach: %s",
    async (unreachable) => {
      const domain = fresh();
      world.dns.host(domain);
      world.dns.broken.add(domain);
      world.dns.trouble = { [unreachable]: "unreachable" };
      const answer = await (await newProject()).api.post("/v1/verify", { email: `ada@${domain}` });
      expectRefusal(answer, 503, "EXTERNAL_SERVICE_ERROR");
    },
  );

  it("does not need an answer about the mail of a domain that does not exist", async () => {
    const domain = fresh();
    const respond = world.dns.respond.bind(world.dns);
    world.dns.respond = (url, signal) => {
      if (url.searchParams.get("type") === "MX") throw new TypeError("Network connection lost");
      return respond(url, signal);
    };
    expect(await verify(`ada@${domain}`)).toMatchObject({ valid: false, domainExists: false });
  });

  it("remembers an answer for as long as it holds, and no longer", async () => {
    const [kept, passing] = [fresh(), fresh()];
    world.dns.ttlSeconds = 300;
    world.dns.host(kept);
    delete world.dns.records[`A ${kept}`];
    await verify(`ada@${kept}`);
    world.dns.ttlSeconds = 0;
    world.dns.host(passing);
    await verify(`ada@${passing}`);

    world.dns.asked = [];
    await verify(`bob@${kept}`);
    // That there is nothing was said without a time, so it is asked again.
    expect(world.dns.asked.toSorted()).toEqual(["A", "AAAA"].map((type) => `cloudflare-dns.com ${type} ${kept}`));
    world.dns.asked = [];
    await verify(`bob@${passing}`);
    expect(world.dns.asked).toHaveLength(4);
  });

  it.each<Partial<Env>>([
    { DNS_RESOLVER_URL: "http://dns.google/resolve" },
    { DNS_FALLBACK_URL: "http://dns.google/resolve" },
  ])("does not start with a resolver in the clear: %o", async (settings) => {
    const { keys } = await newProject();
    const options = { token: keys.secret, body: { email: `ada@${fresh()}` } };
    const answer = await callWith(settings, "POST", "/v1/verify", options);
    expectRefusal(answer, 500, "INTERNAL_SERVER_ERROR");
    expect(world.dns.asked).toEqual([]);
  });

  it("asks only the operator's own resolver when one is named, and its fallback", async () => {
    const { keys } = await newProject();
    const options = { token: keys.secret, body: { email: `ada@${fresh()}` } };
    const own = { DNS_RESOLVER_URL: "https://dns.google/resolve" };
    world.dns.goDown();
    await callWith(own, "POST", "/v1/verify", options);
    expect(new Set(world.dns.asked.map((asked) => asked.split(" ")[0]))).toEqual(new Set(["dns.google"]));
    world.dns.asked = [];
    await callWith({ ...own, DNS_FALLBACK_URL: "https://cloudflare-dns.com/dns-query" }, "POST", "/v1/verify", options);
    expect(new Set(world.dns.asked.map((asked) => asked.split(" ")[0])).size).toBe(2);
  });
});
