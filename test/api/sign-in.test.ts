import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { asId, publicId } from "../../src/core/ids";
import { hashKey } from "../../src/core/keys";
import { forgetVisitors } from "../../src/engine/people/cache";
import { type Answer, admin, bearer, call, newProject } from "../support/project";
import { cookieOf, ourOrigin, signedIn } from "../support/visitor";

const fromOurPage = { Origin: ourOrigin };

function askFor(email: string, headers: Record<string, string> = {}): Promise<Answer> {
  return call("POST", "/console/session/link", { email }, { headers: { ...fromOurPage, ...headers } });
}

interface Mailed {
  subject: string;
  code: string;
  path: string;
}

/** The newest mail to the address that the embedded provider has, within a second. */
async function mailTo(email: string): Promise<Mailed | null> {
  for (let turn = 0; turn < 50; turn++) {
    const { body } = await call("GET", "/outbox/messages?limit=100", undefined, bearer(env.ADMIN_TOKEN ?? ""));
    const found = body.data.find(({ to }: { to: string }) => to === email);
    if (found) {
      const { body: mail } = await call(
        "GET",
        `/outbox/messages/${found.id}`,
        undefined,
        bearer(env.ADMIN_TOKEN ?? ""),
      );
      const [, path = ""] = /https?:\/\/[^/\s]+(\/console\/session\/link\/[0-9a-f]{64})/.exec(mail.text) ?? [];
      const [code = ""] = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(mail.text) ?? [];
      return { subject: mail.subject, code, path };
    }
    await scheduler.wait(20);
  }
  return null;
}

async function asked(email: string) {
  const answer = await askFor(email);
  expect(answer.status).toBe(202);
  const mail = await mailTo(email);
  if (mail === null) throw new Error("No mail came");
  return { mail, cookie: cookieOf(answer, "__Host-petrel-asked") };
}

/** Posts the form of a link's page, and does not follow where the answer leads. */
async function press(path: string, cookie = "", form = ""): Promise<Answer> {
  const response = await exports.default.fetch(`${ourOrigin}${path}`, {
    method: "POST",
    headers: { ...fromOurPage, Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded" },
    body: form,
    redirect: "manual",
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const type = (code: string, cookie: string) =>
  call("POST", "/console/session/code", { code }, { headers: { ...fromOurPage, Cookie: cookie } });
const me = (cookie: string) => call("GET", "/console/me", undefined, { headers: { Cookie: cookie } });

describe("a sign-in mail", () => {
  it("signs its reader in by its code, in the browser that asked, once", async () => {
    const { email } = await signedIn("owner");
    const { mail, cookie } = await asked(email);
    expect(mail.subject).toContain(mail.code);
    const typed = await type(mail.code.toLowerCase().replace("-", " "), cookie);
    expect(typed.status).toBe(204);
    const set = typed.headers.getSetCookie().join();
    for (const part of ["__Host-petrel=", "HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) expect(set).toContain(part);
    const { status, body } = await me(cookieOf(typed, "__Host-petrel"));
    expect(status).toBe(200);
    expect(body).toMatchObject({ person: { email }, isOwner: true, hasProof: true });
    expect((await type(mail.code, cookie)).status).toBe(422);
  });

  it("does not sign in another browser, by its code or its link", async () => {
    const { email } = await signedIn("owner");
    const { mail, cookie } = await asked(email);
    const other = `__Host-petrel-asked=${"0".repeat(64)}`;
    expect((await type(mail.code, other)).status).toBe(422);
    const opened = await call("GET", mail.path, undefined, { headers: { Cookie: other } });
    expect(opened.body).toContain("Another browser asked");
    expect((await press(mail.path, other)).status).toBe(410);
    expect((await type(mail.code, cookie)).status).toBe(204);
  });

  it("has a link whose GET uses nothing up, and whose POST signs in once", async () => {
    const { email } = await signedIn("owner");
    const { mail, cookie } = await asked(email);
    for (let time = 0; time < 2; time++) {
      const opened = await call("GET", mail.path, undefined, { headers: { Cookie: cookie } });
      expect([opened.status, opened.headers.getSetCookie()]).toEqual([200, []]);
      expect(opened.body).toContain(email);
    }
    const used = await press(mail.path, cookie);
    expect([used.status, used.headers.get("Location")]).toEqual([303, "/console"]);
    expect((await me(cookieOf(used, "__Host-petrel"))).body.person.email).toBe(email);
    expect((await press(mail.path, cookie)).status).toBe(410);
  });

  it("takes a code five times at most", async () => {
    const { email } = await signedIn("owner");
    const { mail, cookie } = await asked(email);
    for (let time = 0; time < 5; time++) expect((await type("AAAA-AAAA", cookie)).status).toBe(422);
    expect((await type(mail.code, cookie)).status).toBe(422);
  });

  it("is the same answer for an address that nobody has, which gets no mail", async () => {
    const { email } = await signedIn("owner");
    const [known, unknown] = [await askFor(email), await askFor("nobody-here@example.com")];
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(await mailTo(email)).not.toBeNull();
    expect(await mailTo("nobody-here@example.com")).toBeNull();
  });

  it("is sent five times an hour to an address, and twenty times for a network", async () => {
    const { email } = await signedIn("owner");
    for (let time = 0; time < 7; time++) expect((await askFor(email)).status).toBe(202);
    const count = (where: string, value: string) =>
      env.DB.prepare(`SELECT count(*) AS n FROM sign_in_links WHERE ${where} = ?`).bind(value).first<number>("n");
    expect(await count("email", email)).toBe(5);
    for (let one = 0; one < 22; one++) {
      await askFor(`one${one}@example.com`, { "CF-Connecting-IP": "203.0.113.9" });
    }
    expect(await count("network", "203.0.113.9")).toBe(20);
  });

  it("is mail of no project: no key, list or event shows it", async () => {
    const project = await newProject();
    const { email } = await signedIn({ project, as: { role: "admin" } });
    await asked(email);
    expect((await project.api.get("/emails")).body.data).toEqual([]);
    expect((await project.api.get("/events")).body.data).toEqual([]);
    expect((await project.api.get(`/contacts?search=${email}`)).body.data).toEqual([]);
  });

  it("is not asked for by a page of another site", async () => {
    const answer = await askFor("ada@example.com", { Origin: "https://evil.example" });
    expect([answer.status, answer.body.error.code]).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
  });
});

describe("a printed link", () => {
  it("makes its reader an owner, once", async () => {
    const { status, body } = await admin.post("/admin/people/link", {});
    expect(status).toBe(201);
    const path = new URL(body.url).pathname;
    expect((await call("GET", path)).body).toContain("You become an owner");
    expect((await press(path)).status).toBe(422);
    const used = await press(path, "", "email=First.Owner%40example.com");
    const { body: person } = await me(cookieOf(used, "__Host-petrel"));
    expect(person).toMatchObject({ person: { email: "first.owner@example.com" }, isOwner: true });
    expect((await press(path, "", "email=second%40example.com")).status).toBe(410);
    const listed = await admin.get("/admin/people");
    expect(listed.body.data[0]).toMatchObject({ email: "first.owner@example.com", role: "owner" });
  });

  it("is for a person who is there", async () => {
    const { email } = await signedIn(null);
    expect((await admin.post("/admin/people/link", { email: "nobody@example.com" })).status).toBe(404);
    const { body } = await admin.post("/admin/people/link", { email });
    const used = await press(new URL(body.url).pathname);
    const { body: person } = await me(cookieOf(used, "__Host-petrel"));
    expect(person).toMatchObject({ person: { email }, isOwner: false, projects: [] });
  });

  it.each([
    ["is deleted", "DELETE", undefined],
    ["is no longer an owner", "PATCH", { role: null }],
  ] as const)("ends when an owner %s, who may have printed it", async (_, method, change) => {
    const [leaving, staying] = [await signedIn("owner"), await signedIn("owner")];
    const { body } = await leaving.call("POST", "/admin/people/link", {});
    const id = publicId(asId(leaving.personId));
    expect((await staying.call(method, `/admin/people/${id}`, change)).status).toBeLessThan(300);
    const back = await press(new URL(body.url).pathname, "", "email=back%40example.com");
    expect(back.status).toBe(410);
    expect(await env.DB.prepare("SELECT 1 FROM people WHERE email = 'back@example.com'").first()).toBeNull();
  });
});

describe("a session", () => {
  it("is stored as a hash alone, and is over when it is ended", async () => {
    const visitor = await signedIn("owner");
    const { Cookie = "" } = visitor.headers();
    const token = Cookie.split("=")[1] ?? "";
    const stored = await env.DB.prepare("SELECT * FROM sessions WHERE hash = ?")
      .bind(await hashKey(token))
      .first();
    expect(JSON.stringify(stored)).not.toContain(token);
    const { body } = await visitor.call("GET", "/console/sessions");
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({ isCurrent: true, method: "code" });
    expect((await visitor.call("DELETE", `/console/sessions/${body.data[0].id}`)).status).toBe(204);
    const after = await visitor.call("GET", "/console/me");
    expect([after.status, after.body.error.code]).toEqual([401, "INVALID_API_KEY"]);
  });

  it("of another person cannot be ended", async () => {
    const [one, other] = [await signedIn("owner"), await signedIn("owner")];
    const { body } = await other.call("GET", "/console/sessions");
    expect((await one.call("DELETE", `/console/sessions/${body.data[0].id}`)).status).toBe(404);
    expect((await other.call("GET", "/console/me")).status).toBe(200);
  });

  it("ends with a sign-in in the same browser", async () => {
    const visitor = await signedIn("owner");
    const { mail, cookie } = await asked(visitor.email);
    const { Cookie } = visitor.headers();
    expect((await type(mail.code, `${cookie}; ${Cookie}`)).status).toBe(204);
    forgetVisitors();
    expect((await visitor.call("GET", "/console/me")).status).toBe(401);
  });

  it("is over after 30 days without use", async () => {
    const visitor = await signedIn("owner");
    await env.DB.prepare("UPDATE sessions SET expires_at = ? WHERE person_id = ?")
      .bind(Date.now() - 1, visitor.personId)
      .run();
    forgetVisitors();
    expect((await visitor.call("GET", "/console/me")).status).toBe(401);
  });

  it("changes nothing from another site, or from nowhere", async () => {
    const visitor = await signedIn("owner");
    const { Cookie = "" } = visitor.headers();
    const elsewhere: Record<string, string>[] = [{}, { Origin: "https://evil.example" }, { Origin: "null" }];
    for (const origin of elsewhere) {
      const answer = await call("DELETE", "/console/session", undefined, { headers: { Cookie, ...origin } });
      expect([answer.status, answer.body.error.code]).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
    }
    expect((await visitor.call("GET", "/console/me")).status).toBe(200);
    const ofSandbox = { Cookie, Origin: "null", "Sec-Fetch-Site": "cross-site" };
    expect((await call("DELETE", "/console/session", undefined, { headers: ofSandbox })).status).toBe(403);
    const headers = { Cookie, "Sec-Fetch-Site": "same-origin" };
    expect((await call("DELETE", "/console/session", undefined, { headers })).status).toBe(204);
  });
});
