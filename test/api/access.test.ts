import { env } from "cloudflare:workers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Outside } from "../support/outside";
import { type Answer, call, newProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { cookieOf, ourOrigin, signedIn } from "../support/visitor";
import { callWith } from "../support/with-settings";

const audience = "4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2";
let counter = 0;

/** A team of Cloudflare Access: its keys, where it publishes them, and what it signs. */
class Team {
  readonly name = `acme-${++counter}`;
  readonly host = `${this.name}.cloudflareaccess.com`;
  readonly settings = { ACCESS_TEAM: this.name, ACCESS_AUDIENCE: audience };
  private pairs: (CryptoKeyPair & { kid: string })[] = [];

  async addKey(): Promise<void> {
    this.pairs.unshift({ ...(await generateKeyPair("RS256", { extractable: true })), kid: `key ${this.pairs.length}` });
  }

  async published(): Promise<Response> {
    const keys = this.pairs.map(async ({ publicKey, kid }) => ({ ...(await exportJWK(publicKey)), kid, alg: "RS256" }));
    return Response.json({ keys: await Promise.all(keys) });
  }

  /** Signs with the newest key. */
  async assertion(email: string | null, of: { issuer?: string; audience?: string; ageSeconds?: number } = {}) {
    const [pair] = this.pairs;
    if (pair === undefined) throw new Error("The team has no key");
    const issued = Math.floor(Date.now() / 1_000) - (of.ageSeconds ?? 0);
    return new SignJWT({ type: "app", ...(email !== null && { email }) })
      .setProtectedHeader({ alg: "RS256", kid: pair.kid })
      .setIssuer(of.issuer ?? `https://${this.host}`)
      .setAudience([of.audience ?? audience])
      .setIssuedAt(issued)
      .setExpirationTime(issued + 86_400)
      .sign(pair.privateKey);
  }
}

let outside: Outside;
let team: Team;

beforeEach(async () => {
  outside = new Outside();
  team = new Team();
  await team.addKey();
  outside.play(team.host, () => team.published());
});
afterEach(() => vi.unstubAllGlobals());

const path = "/console/session/access";

function signIn(assertion: string | null, method = "POST", settings: object = team.settings): Promise<Answer> {
  const headers = { Origin: ourOrigin, ...(assertion !== null && { "Cf-Access-Jwt-Assertion": assertion }) };
  return callWith(settings, method, path, { headers });
}

const meOf = (cookie: string) => call("GET", "/console/me", undefined, { headers: { Cookie: cookie } });

describe("a person whom Cloudflare Access has let through", () => {
  it("is asked on a page, signs in by its button, and has not proved who they are", async () => {
    const project = await newProject();
    const { email } = await signedIn({ project, as: { role: "admin" } });
    const assertion = await team.assertion(email.toUpperCase());
    const headers = { "Cf-Access-Jwt-Assertion": assertion };
    const entered = await callWith(team.settings, "GET", "/console", { headers });
    expect([entered.status, entered.headers.get("Location")]).toEqual([303, path]);
    const page = await signIn(assertion, "GET");
    expect(page.status).toBe(200);
    expect(page.body).toContain(email);
    expect(cookieOf(page, "__Host-petrel")).toBe("");

    const signed = await signIn(assertion);
    expect([signed.status, signed.headers.get("Location")]).toEqual([303, "/console"]);
    const session = cookieOf(signed, "__Host-petrel");
    const { body: me } = await meOf(session);
    expect(me).toMatchObject({ person: { email }, hasProof: false, provedAt: null, projects: [{ id: project.id }] });
    const sessions = await call("GET", "/console/sessions", undefined, { headers: { Cookie: session } });
    expect(sessions.body.data).toMatchObject([{ method: "access", isCurrent: true }, { method: "code" }]);
    const key = { kind: "secret" };
    const asked = { Cookie: session, Origin: ourOrigin };
    const refused = await call("POST", `/admin/projects/${project.id}/keys`, key, { headers: asked });
    expectRefusal(refused, 403, "PROOF_NEEDED");
    const withSession = (cookie: string) =>
      callWith(team.settings, "GET", "/console", { headers: { ...headers, Cookie: cookie } });
    expect((await withSession(session)).status).not.toBe(303);
    // A browser also sends the cookie of a session that is over.
    await call("DELETE", "/console/session", undefined, { headers: asked });
    expect((await withSession(session)).headers.get("Location")).toBe(path);
    // Signed out, the same assertion signs in again. All of it took one look at the keys.
    expect((await signIn(assertion)).status).toBe(303);
    expect(outside.callsTo(team.host)).toHaveLength(1);
  });

  it("comes to the page that was asked for, by Access and by another way, and to no other site", async () => {
    const { email } = await signedIn("owner");
    const headers = { "Cf-Access-Jwt-Assertion": await team.assertion(email) };
    const asked = "/console/p/01a2/campaigns/01a3?tab=links&at=1";
    const entered = await callWith(team.settings, "GET", asked, { headers });
    const signInAt = entered.headers.get("Location") ?? "";
    expect([entered.status, signInAt]).toEqual([303, `${path}?to=${encodeURIComponent(asked)}`]);
    const page = await callWith(team.settings, "GET", signInAt, { headers });
    expect(page.body).toContain(`href="${asked.replaceAll("&", "&amp;")}&amp;by=mail"`);
    // The form is sent to the address of its page.
    expect(page.body).toContain(`<form method="post">`);
    const post = async (address: string) => {
      const answer = await callWith(team.settings, "POST", address, { headers: { ...headers, Origin: ourOrigin } });
      return answer.headers.get("Location");
    };
    expect(await post(signInAt)).toBe(asked);
    const elsewhere = [
      "https://evil.example",
      "//evil.example",
      "/console/..//evil.example",
      "/consoles",
      "\\\\evil.example",
      "javascript:alert(1)",
      "http://[",
    ];
    for (const to of elsewhere) expect(await post(`${path}?to=${encodeURIComponent(to)}`), to).toBe("/console");
    expect(await post(`${path}?to=${encodeURIComponent("https://evil.example/console/account")}`)).toBe(
      "/console/account",
    );
  });

  it("is told by a call whose session is over where Access signs in", async () => {
    const assertion = await team.assertion((await signedIn("owner")).email);
    const ask = (settings: object, headers: Record<string, string>) =>
      callWith(settings, "GET", "/console/me", { headers });
    const over = await ask(team.settings, { Cookie: "__Host-petrel=none", "Cf-Access-Jwt-Assertion": assertion });
    expectRefusal(over, 401, "INVALID_API_KEY", { details: { access: path } });
    expect((await ask(team.settings, {})).body.error.details).toBeUndefined();
    expect((await ask({}, { "Cf-Access-Jwt-Assertion": assertion })).body.error.details).toBeUndefined();
  });

  it("becomes nobody here without an invitation", async () => {
    const before = await env.DB.prepare("SELECT count(*) AS people FROM people").first();
    const refused = await signIn(await team.assertion("stranger@example.com"));
    expect(refused.status).toBe(401);
    expect(refused.body).toContain("stranger@example.com does not belong to a person of this installation.");
    expect(refused.body).toContain("to invite this address");
    expect(await env.DB.prepare("SELECT count(*) AS people FROM people").first()).toEqual(before);
  });

  it("is refused with what Access did not sign for this application, or signed too long ago", async () => {
    const { email } = await signedIn("owner");
    const forger = new Team();
    await forger.addKey();
    const issuer = `https://${team.host}`;
    const [head = "", , signature = ""] = (await team.assertion("stranger@example.com")).split(".");
    const payload = btoa(JSON.stringify({ iss: issuer, aud: [audience], email, iat: 0, exp: 9_999_999_999 }));
    const none = btoa(JSON.stringify({ alg: "none" }));
    const wrong = [
      ...["", "nonsense", "a.b.c", `${head}.${payload}.${signature}`, `${none}.${payload}.`],
      await forger.assertion(email, { issuer }),
      await team.assertion(email, { issuer: "https://other.cloudflareaccess.com" }),
      await team.assertion(email, { audience: "another application" }),
      await team.assertion(email, { ageSeconds: 90_000 }),
      await team.assertion(null),
      await team.assertion("no address"),
    ];
    for (const [index, assertion] of wrong.entries()) {
      for (const method of ["GET", "POST"]) {
        const refused = await signIn(assertion, method);
        expect([index, refused.status]).toEqual([index, 401]);
        expect(refused.body).toContain("<h1>You are not signed in</h1>");
        expect(cookieOf(refused, "__Host-petrel")).toBe("");
      }
    }
    expect(outside.callsTo(team.host)).toHaveLength(1);
    const elsewhere = { Origin: "https://elsewhere.example", "Cf-Access-Jwt-Assertion": await team.assertion(email) };
    expect((await callWith(team.settings, "POST", path, { headers: elsewhere })).status).toBe(403);
  });

  it("signs in by a key that is new, which is looked for once a minute at most", async () => {
    const { email } = await signedIn("owner");
    expect((await signIn(await team.assertion(email))).status).toBe(303);
    await team.addKey();
    const assertion = await team.assertion(email);
    expect((await signIn(assertion)).status).toBe(401);
    expect(outside.callsTo(team.host)).toHaveLength(1);
    vi.setSystemTime(Date.now() + 61_000);
    try {
      expect((await signIn(assertion)).status).toBe(303);
    } finally {
      vi.useRealTimers();
    }
    expect(outside.callsTo(team.host)).toHaveLength(2);
  });

  it("is asked to come again while the keys cannot be read", async () => {
    const { email } = await signedIn("owner");
    const assertion = await team.assertion(email);
    for (const answer of [
      () => new Response("down", { status: 500 }),
      () => Response.json({ keys: "none" }),
      () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.example" } }),
    ]) {
      outside.play(team.host, answer);
      expectRefusal(await signIn(assertion), 503, "EXTERNAL_SERVICE_ERROR");
    }
    outside.play(team.host, () => team.published());
    expect((await signIn(assertion)).status).toBe(303);
  });
});

describe("Cloudflare Access", () => {
  it("signs nobody in where it is not set up, or has let nobody through", async () => {
    const assertion = await team.assertion((await signedIn("owner")).email);
    for (const method of ["GET", "POST"]) {
      expect((await signIn(assertion, method, {})).status).toBe(404);
      expect((await signIn(null, method)).status).toBe(404);
      expect((await signIn(assertion, method, { ...team.settings, CONSOLE_ENABLED: "false" })).status).toBe(404);
    }
    expect(outside.calls).toEqual([]);
  });

  it("leaves the console to those with a session, and to those who sign in another way", async () => {
    const owner = await signedIn("owner");
    const headers = { "Cf-Access-Jwt-Assertion": await team.assertion(owner.email) };
    const withSession = await callWith(team.settings, "GET", "/console", {
      headers: { ...headers, ...owner.headers() },
    });
    expect(withSession.status).not.toBe(303);
    expect((await callWith(team.settings, "GET", "/console?by=mail", { headers })).status).not.toBe(303);
    expect((await callWith({}, "GET", "/console", { headers })).status).not.toBe(303);
  });
});
