import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { asId, publicId } from "../../src/core/ids";
import { newChallenge } from "../../src/core/people/challenge";
import { forgetVisitors } from "../../src/engine/people/cache";
import { TestPasskey } from "../support/authenticator";
import { type Answer, admin, call } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { cookieOf, ourOrigin, signedIn, type TestVisitor } from "../support/visitor";
import { callWith } from "../support/with-settings";

const fromOurPage = { Origin: ourOrigin };
const minute = 60_000;

const toSignIn = async () =>
  (await call("POST", "/console/session/passkey/options", undefined, { headers: fromOurPage })).body;
const toRegister = async (visitor: TestVisitor) => (await visitor.call("POST", "/console/passkeys/options")).body;
const add = (visitor: TestVisitor, credential: unknown, name = "Laptop") =>
  visitor.call("POST", "/console/passkeys", { name, credential });
const signIn = (credential: unknown, headers: Record<string, string> = {}) =>
  call("POST", "/console/session/passkey", { credential }, { headers: { ...fromOurPage, ...headers } });

async function withPasskey(): Promise<{ visitor: TestVisitor; passkey: TestPasskey; added: Answer }> {
  const [visitor, passkey] = [await signedIn("owner"), await TestPasskey.create()];
  const added = await add(visitor, await passkey.register(await toRegister(visitor)));
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  return { visitor, passkey, added };
}

const rowOf = ({ id }: TestPasskey) =>
  env.DB.prepare("SELECT * FROM passkeys WHERE credential_id = ?").bind(id).first();

describe("a passkey", () => {
  it("is added by a person who is signed in, and signs them in from then on", async () => {
    const { visitor, passkey, added } = await withPasskey();
    const { id } = added.body;
    expect(added.body).toEqual({
      ...{ id, name: "Laptop", credentialId: passkey.id, transports: ["internal", "hybrid"], isSynced: false },
      ...{ createdAt: expect.any(String), lastUsedAt: null },
    });
    const options = await toSignIn();
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{40,}$/),
      ...{ rpId: "petrel.example", timeout: 5 * minute, userVerification: "required", allowCredentials: [] },
    });
    const { Cookie = "" } = visitor.headers();
    const signed = await signIn(await passkey.signIn(options, { counter: 7, isBackedUp: true }), { Cookie });
    expect(signed.status).toBe(204);
    const session = cookieOf(signed, "__Host-petrel");
    const me = await call("GET", "/console/me", undefined, { headers: { Cookie: session } });
    expect(me.body).toMatchObject({ person: { email: visitor.email }, hasProof: true });
    // The browser's earlier session is over.
    expect((await visitor.call("GET", "/console/me")).status).toBe(401);
    expect(await rowOf(passkey)).toMatchObject({ counter: 7, is_backup_eligible: 1, is_backed_up: 1 });
    const sessions = await call("GET", "/console/sessions", undefined, { headers: { Cookie: session } });
    expect(sessions.body.data).toMatchObject([{ method: "passkey", isCurrent: true }]);
  });

  it("is listed, renamed and removed by its owner alone, each change in the audit log of the installation", async () => {
    const { visitor, passkey, added } = await withPasskey();
    const other = await signedIn("owner");
    const path = `/console/passkeys/${added.body.id}`;
    for (const [method, body] of [
      ["PATCH", { name: "Mine" }],
      ["DELETE", undefined],
    ] as const) {
      expectRefusal(await other.call(method, path, body), 404, "RESOURCE_NOT_FOUND", { details: expect.anything() });
    }
    expect((await other.call("GET", "/console/passkeys")).body.data).toEqual([]);
    expectInvalid(await visitor.call("PATCH", path, { name: " " }), "name", "custom");
    const renamed = await visitor.call("PATCH", path, { name: "Phone" });
    expect(renamed.body).toEqual({ ...added.body, name: "Phone" });
    expect((await visitor.call("GET", "/console/passkeys")).body.data).toEqual([renamed.body]);
    // It is not made twice on the same device.
    expect((await toRegister(visitor)).excludeCredentials).toMatchObject([{ id: passkey.id, type: "public-key" }]);
    expect((await visitor.call("DELETE", path)).status).toBe(204);
    expectRefusal(await visitor.call("DELETE", path), 404, "RESOURCE_NOT_FOUND", { details: expect.anything() });
    expectInvalid(await signIn(await passkey.signIn(await toSignIn())), "credential", "custom");
    const { data } = (await admin.get(`/admin/audit?target=${added.body.id}`)).body;
    const actor = { kind: "person", id: publicId(asId(visitor.personId)), name: visitor.email };
    expect(data).toMatchObject([
      { action: "removePasskey", actor, changes: [{ field: "name", from: "Phone", to: null }, { to: null }] },
      { action: "renamePasskey", actor, changes: [{ field: "name", from: "Laptop", to: "Phone" }] },
      {
        action: "addPasskey",
        actor,
        target: { type: "passkey" },
        changes: [{ from: null, to: "Laptop" }, { from: null }],
      },
    ]);
  });

  it("is added and removed only by a person who has just proved who they are, and it is such a proof", async () => {
    const { visitor, passkey, added } = await withPasskey();
    const ageMs = 11 * minute;
    await env.DB.prepare("UPDATE sessions SET created_at = created_at - ? WHERE person_id = ?")
      .bind(ageMs, visitor.personId)
      .run();
    forgetVisitors();
    const guarded = [
      ["POST", "/console/passkeys/options"],
      ["POST", "/console/passkeys"],
      ["DELETE", `/console/passkeys/${added.body.id}`],
      ["PATCH", `/admin/people/${publicId(asId(visitor.personId))}`],
    ] as const;
    for (const [method, path] of guarded) expectRefusal(await visitor.call(method, path, {}), 403, "PROOF_NEEDED");
    const signed = await signIn(await passkey.signIn(await toSignIn()), visitor.headers());
    const headers = { ...fromOurPage, Cookie: cookieOf(signed, "__Host-petrel") };
    for (const [method, path] of guarded) {
      const answer = await call(method, path, {}, { headers });
      expect(answer.body?.error?.code).not.toBe("PROOF_NEEDED");
    }
  });

  it("of a person who was removed signs nobody in", async () => {
    const { visitor, passkey } = await withPasskey();
    await signedIn("owner");
    const answer = await passkey.signIn(await toSignIn());
    expect((await admin.delete(`/admin/people/${publicId(asId(visitor.personId))}`)).status).toBe(204);
    expectInvalid(await signIn(answer), "credential", "custom");
    expect(await rowOf(passkey)).toBeNull();
  });

  it("is one of twenty at most", async () => {
    const { visitor } = await withPasskey();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
        INSERT INTO passkeys (credential_id, id, person_id, public_key, counter, transports, name, created_at)
        SELECT credential_id || i, id || i, person_id, public_key, 0, '[]', name, 0 FROM n, passkeys WHERE person_id = ?`,
    )
      .bind(visitor.personId)
      .run();
    const answer = await (await TestPasskey.create()).register(await toRegister(visitor));
    expectRefusal(await add(visitor, answer), 409, "CONFLICT");
  });
});

describe("the answer of a passkey is refused", () => {
  const wrong: [what: string, ways: Parameters<TestPasskey["signIn"]>[1]][] = [
    ["from a page of another origin", { origin: "https://evil.example" }],
    ["for another relying party", { rpId: "evil.example" }],
    ["whose user was not verified", { isVerified: false }],
    ["to another kind of question", { type: "payment.get" }],
  ];

  it.each(wrong)("%s", async (_, ways) => {
    const { visitor, passkey } = await withPasskey();
    expectInvalid(await signIn(await passkey.signIn(await toSignIn(), ways)), "credential", "custom");
    const fresh = await TestPasskey.create();
    expectInvalid(await add(visitor, await fresh.register(await toRegister(visitor), ways)), "credential", "custom");
    expect(await rowOf(fresh)).toBeNull();
  });

  it("when it comes a second time, one after the other or both at once", async () => {
    const { visitor, passkey } = await withPasskey();
    const answer = await passkey.signIn(await toSignIn());
    const both = await Promise.all([signIn(answer), signIn(answer)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 410]);
    expect((await signIn(answer)).status).toBe(410);
    const options = await toRegister(visitor);
    const [one, other] = [await TestPasskey.create(), await TestPasskey.create()];
    const added = await Promise.all([
      add(visitor, await one.register(options)),
      add(visitor, await other.register(options)),
    ]);
    expect(added.map(({ status }) => status).toSorted()).toEqual([201, 410]);
    expect((await visitor.call("GET", "/console/passkeys")).body.data).toHaveLength(2);
  });

  it("after five minutes, for another purpose or person, and with a challenge that is not ours", async () => {
    const { visitor, passkey } = await withPasskey();
    const other = await signedIn("owner");
    const secrets = [env.LINK_SECRETS ?? ""];
    const old = await newChallenge(secrets, { is: "sign-in" }, Date.now() - 5 * minute);
    const foreign = await newChallenge(["another-secret-of-at-least-32-characters"], { is: "sign-in" }, Date.now());
    const ofRegistration = (await toRegister(visitor)).challenge;
    for (const challenge of [old, foreign, ofRegistration, "", "AAAA"]) {
      expectInvalid(await signIn(await passkey.signIn({ challenge })), "credential", "custom");
    }
    const fresh = await TestPasskey.create();
    const user = { id: passkey.userHandle };
    for (const { challenge } of [await toSignIn(), await toRegister(other)]) {
      expectInvalid(await add(visitor, await fresh.register({ challenge, user })), "credential", "custom");
    }
  });

  it("with the signature, the id or the name of somebody else", async () => {
    const [{ passkey }, theirs] = [await withPasskey(), await withPasskey()];
    const options = await toSignIn();
    const own = await passkey.signIn(options);
    const signature = (await theirs.passkey.signIn(options)).response.signature;
    const forged = [
      { ...own, response: { ...own.response, signature } },
      { ...own, id: theirs.passkey.id, rawId: theirs.passkey.id },
      await passkey.signIn(options, { userHandle: theirs.passkey.userHandle }),
      await (await TestPasskey.create()).signIn(options, { userHandle: passkey.userHandle }),
    ];
    for (const answer of forged) expectInvalid(await signIn(answer), "credential", "custom");
    // None of them has used the challenge up.
    expect((await signIn(own)).status).toBe(204);
    // A credential of somebody else is not added to one's own.
    const again = await theirs.passkey.register(await toRegister(theirs.visitor));
    expectRefusal(await add(theirs.visitor, again), 409, "CONFLICT");
    const thief = await signedIn("owner");
    expectRefusal(await add(thief, await theirs.passkey.register(await toRegister(thief))), 409, "CONFLICT");
  });

  it("when the count of its authenticator goes back", async () => {
    const { passkey } = await withPasskey();
    const [first, copy] = [await toSignIn(), await toSignIn()];
    expect((await signIn(await passkey.signIn(first, { counter: 5 }))).status).toBe(204);
    for (const counter of [5, 4, 0])
      expectInvalid(await signIn(await passkey.signIn(copy, { counter })), "credential", "custom");
    expect((await signIn(await passkey.signIn(copy, { counter: 6 }))).status).toBe(204);
  });

  it("when the session that adds it has just ended elsewhere", async () => {
    const [visitor, passkey] = [await signedIn("owner"), await TestPasskey.create()];
    const answer = await passkey.register(await toRegister(visitor));
    await env.DB.prepare("DELETE FROM sessions WHERE person_id = ?").bind(visitor.personId).run();
    expectRefusal(await add(visitor, answer), 401, "INVALID_API_KEY");
    expect(await rowOf(passkey)).toBeNull();
  });
});

describe("the doors of passkeys", () => {
  it("refuse pages of other sites", async () => {
    const { passkey } = await withPasskey();
    const body = { credential: await passkey.signIn(await toSignIn()) };
    for (const path of ["/console/session/passkey/options", "/console/session/passkey"]) {
      const answer = await call("POST", path, body, { headers: { Origin: "https://evil.example" } });
      expectRefusal(answer, 403, "ORIGIN_NOT_ALLOWED");
    }
  });

  it("say where passkeys work, at another address and where there is none", async () => {
    const path = "/console/session/passkey/options";
    const elsewhere = { PUBLIC_URL: "https://mail.acme.example" };
    const refused = await callWith(elsewhere, "POST", path, { headers: fromOurPage });
    expectRefusal(refused, 409, "CONFLICT");
    expect(refused.body.error.suggestion).toContain("https://mail.acme.example/console");
    const Origin = "https://mail.acme.example";
    const there = await callWith(elsewhere, "POST", path, { headers: { Origin }, host: "mail.acme.example" });
    expect(there.body).toMatchObject({ rpId: "mail.acme.example" });
    for (const PUBLIC_URL of ["https://192.0.2.7", "http://mail.acme.example"]) {
      expectRefusal(await callWith({ PUBLIC_URL }, "POST", path), 409, "CONFLICT");
    }
  });
});
