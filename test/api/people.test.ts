import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Answer, admin, bearer, call, newProject, type TestProject } from "../support/project";
import { cookieOf, ourOrigin, signedIn } from "../support/visitor";
import { callWith } from "../support/with-settings";

let counter = 0;
const newAddress = () => `invited${++counter}-${crypto.randomUUID().slice(0, 8)}@example.com`;
const peopleOf = ({ id }: TestProject) => `/admin/projects/${id}/people`;

/** The mail to an address that the embedded provider has, within a second. */
async function mailTo(email: string): Promise<{ subject: string; text: string }> {
  const token = bearer(env.ADMIN_TOKEN ?? "");
  for (let turn = 0; turn < 50; turn++) {
    const { body } = await call("GET", `/outbox/messages?to=${email}`, undefined, token);
    if (body.data[0]) return (await call("GET", `/outbox/messages/${body.data[0].id}`, undefined, token)).body;
    await scheduler.wait(20);
  }
  throw new Error("No mail came");
}

async function press(path: string): Promise<Answer> {
  const headers = { Origin: ourOrigin, "Content-Type": "application/x-www-form-urlencoded" };
  const response = await exports.default.fetch(`${ourOrigin}${path}`, { method: "POST", headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const upTo = (count: number) => JSON.stringify([...Array(count).keys()]);
const outcome = ({ status, body }: Answer) => [status, body?.error?.code];

describe("an invitation to a project", () => {
  it("makes a member, and its mail's link signs them in, once", async () => {
    const project = await newProject();
    const inviter = await signedIn({ project, as: { role: "admin" } });
    const email = newAddress();
    const fields = { email: email.toUpperCase(), name: "Ada", role: "editor", maySend: false };
    const made = await inviter.call("POST", peopleOf(project), fields);
    expect(made.status).toBe(201);
    const member = { email, name: "Ada", locale: null, role: "editor", maySend: false, seesPersonalData: true };
    expect(made.body).toMatchObject({ ...member, lastSeenAt: null, invitation: { mail: "ON" } });

    const mail = await mailTo(email);
    expect(mail.subject).toBe(`You are invited to ${(await admin.get(`/admin/projects/${project.id}`)).body.name}`);
    expect(mail.text).toContain(inviter.email);
    const [, path = ""] = /https?:\/\/[^/\s]+(\/console\/session\/link\/[0-9a-f]{64})/.exec(mail.text) ?? [];
    const opened = await press(path);
    expect(opened.status).toBe(303);
    const me = await call("GET", "/console/me", undefined, {
      headers: { Cookie: cookieOf(opened, "__Host-petrel") },
    });
    expect(me.body).toMatchObject({ isOwner: false, projects: [{ id: project.id, role: "editor", maySend: false }] });
    expect((await press(path)).status).toBe(410);
    const { body } = await admin.get(peopleOf(project));
    expect(body).toMatchObject({ data: [{ email, role: "editor" }, { email: inviter.email }], total: 2 });
    expect(body.data).toContainEqual(expect.objectContaining({ id: made.body.id }));
  });

  it("says that no mail goes out, where it cannot", async () => {
    const project = await newProject();
    const settings = {
      MAIL_PROVIDER: "resend",
      RESEND_API_KEY: "re_key",
      RESEND_WEBHOOK_SECRET: "whsec_dGVzdC13ZWJob29rLXNlY3JldA==",
    };
    const body = { email: newAddress(), role: "viewer" };
    const answer = await callWith(settings, "POST", peopleOf(project), { token: env.ADMIN_TOKEN ?? "", body });
    expect(answer.status).toBe(201);
    expect(answer.body.invitation).toEqual({
      mail: "OFF",
      message: expect.stringContaining("CONSOLE_FROM is not set"),
    });
  });

  it("is refused for a member, for an owner, and with switches that a role cannot be without", async () => {
    const project = await newProject();
    const [member, owner] = [await signedIn({ project, as: { role: "viewer" } }), await signedIn("owner")];
    expect(outcome(await admin.post(peopleOf(project), { email: member.email, role: "admin" }))).toEqual([
      409,
      "CONFLICT",
    ]);
    expect(outcome(await admin.post(peopleOf(project), { email: owner.email, role: "admin" }))).toEqual([
      409,
      "CONFLICT",
    ]);
    for (const [fields, field] of [
      [{ role: "admin", maySend: false }, "maySend"],
      [{ role: "editor", seesPersonalData: false }, "seesPersonalData"],
      [{ role: "owner" }, "role"],
      [{}, "role"],
    ] as const) {
      const { status, body } = await admin.post(peopleOf(project), { email: newAddress(), ...fields });
      expect([status, body.error.errors[0].field]).toEqual([422, field]);
    }
    expect((await admin.get(peopleOf(project))).body.total).toBe(1);
  });

  it("of somebody who is known elsewhere adds this project, and keeps their name", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const email = newAddress();
    const first = await admin.post(peopleOf(other), { email, name: "Ada", role: "admin" });
    const second = await admin.post(peopleOf(project), { email, name: "Eve", role: "viewer", seesPersonalData: false });
    expect(second.body).toMatchObject({ id: first.body.id, name: "Ada", role: "viewer", seesPersonalData: false });
    const whole = await admin.get(`/admin/people/${first.body.id}`);
    expect(whole.body).toMatchObject({ role: null, projects: [{ id: project.id }, { id: other.id, role: "admin" }] });
  });

  it("is made fifty times an hour at most", async () => {
    const project = await newProject();
    const now = Date.now();
    await env.DB.prepare(
      `INSERT INTO sign_in_links (id, kind, email, invited_to, created_at, expires_at)
        SELECT 'i${project.number}-' || value, 'invitation', 'x', ?, ?, ? FROM json_each(?)`,
    )
      .bind(project.number, now - 60_000, now + 60_000, upTo(49))
      .run();
    expect((await admin.post(peopleOf(project), { email: newAddress(), role: "viewer" })).status).toBe(201);
    const refused = await admin.post(peopleOf(project), { email: newAddress(), role: "viewer" });
    expect([...outcome(refused), refused.headers.get("Retry-After")]).toEqual([429, "RATE_LIMIT_EXCEEDED", "3600"]);
    expect((await admin.get(peopleOf(project))).body.total).toBe(1);
  });

  it("is refused beyond 500 people", async () => {
    const project = await newProject();
    await env.DB.prepare(
      `INSERT INTO memberships (person_id, project_id, role, created_at)
        SELECT 'p' || value, ?, 'viewer', 0 FROM json_each(?)`,
    )
      .bind(project.number, upTo(500))
      .run();
    expect(outcome(await admin.post(peopleOf(project), { email: newAddress(), role: "viewer" }))).toEqual([
      409,
      "CONFLICT",
    ]);
  });
});

describe("a member", () => {
  it("gets other rights at once, and switches that the new role cannot be without are on again", async () => {
    const project = await newProject();
    const visitor = await signedIn({ project, as: { role: "editor", maySend: false } });
    const id = (await admin.get(peopleOf(project))).body.data[0].id;
    const path = `${peopleOf(project)}/${id}`;
    expect((await admin.patch(path, { role: "viewer", seesPersonalData: false })).body).toMatchObject({
      ...{ id, role: "viewer", maySend: true, seesPersonalData: false },
    });
    const refused = await visitor.call("POST", "/contacts", { email: "ada@example.com" }, project);
    expect(outcome(refused)).toEqual([403, "ROLE_TOO_LOW"]);
    expect((await admin.patch(path, { maySend: false })).body.error.errors[0].field).toBe("maySend");
    expect((await admin.patch(path, { role: "admin" })).body).toMatchObject({ role: "admin", seesPersonalData: true });
    expect((await admin.get(path)).body).toMatchObject({ id, role: "admin" });
  });

  it("is out when taken out, and stays in other projects", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const visitor = await signedIn({ project, as: { role: "editor" } });
    await admin.post(peopleOf(other), { email: visitor.email, role: "viewer" });
    const id = (await admin.get(peopleOf(project))).body.data[0].id;
    expect((await visitor.call("GET", "/contacts", undefined, project)).status).toBe(200);
    expect((await admin.delete(`${peopleOf(project)}/${id}`)).status).toBe(204);
    expect((await visitor.call("GET", "/contacts", undefined, project)).status).toBe(404);
    expect((await visitor.call("GET", "/contacts", undefined, other)).status).toBe(200);
    expect(outcome(await admin.delete(`${peopleOf(project)}/${id}`))).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  it("of another project is not found, and its people are not seen", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const boss = await signedIn({ project, as: { role: "admin" } });
    await signedIn({ project: other, as: { role: "editor" } });
    const stranger = (await admin.get(peopleOf(other))).body.data[0].id;
    const own = `${peopleOf(project)}/${stranger}`;
    const answers = [
      await boss.call("GET", peopleOf(other)),
      await boss.call("POST", peopleOf(other), { email: newAddress(), role: "viewer" }),
      await boss.call("PATCH", `${peopleOf(other)}/${stranger}`, { role: "viewer" }),
      await boss.call("GET", own),
      await boss.call("PATCH", own, { role: "viewer" }),
      await boss.call("DELETE", own),
    ];
    for (const answer of answers) expect(outcome(answer)).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect((await admin.get(peopleOf(other))).body.data).toMatchObject([{ role: "editor" }]);
  });

  it("is managed by admins alone, and with a proof", async () => {
    const project = await newProject();
    for (const role of ["viewer", "editor"] as const) {
      const visitor = await signedIn({ project, as: { role } });
      const refused = await visitor.call("POST", peopleOf(project), { email: newAddress(), role: "admin" });
      expect(refused.body.error).toMatchObject({ code: "ROLE_TOO_LOW", details: { role, needs: { role: "admin" } } });
    }
    const stale = await signedIn({ project, as: { role: "admin" } }, 3_600_000);
    expect((await stale.call("GET", peopleOf(project))).status).toBe(200);
    const refused = await stale.call("POST", peopleOf(project), { email: newAddress(), role: "admin" });
    expect(outcome(refused)).toEqual([403, "PROOF_NEEDED"]);
  });

  it("who was just taken out lets nobody in any more, although the session is still cached", async () => {
    const project = await newProject();
    const boss = await signedIn({ project, as: { role: "admin" } });
    expect((await boss.call("GET", peopleOf(project))).status).toBe(200);
    // As if another isolate had done it.
    await env.DB.prepare("DELETE FROM memberships WHERE person_id = ?").bind(boss.personId).run();
    const refused = await boss.call("POST", peopleOf(project), { email: newAddress(), role: "admin" });
    expect(outcome(refused)).toEqual([403, "ROLE_TOO_LOW"]);
    expect((await admin.get(peopleOf(project))).body.data).toEqual([]);
  });
});

describe("an owner", () => {
  const asOperator = (method: string, path: string, body?: unknown) =>
    call(method, path, body, bearer(env.ADMIN_TOKEN ?? ""));
  const others = (...ids: string[]) =>
    env.DB.prepare(`UPDATE people SET is_owner = 0 WHERE id NOT IN (${ids.map(() => "?").join()})`)
      .bind(...ids)
      .run();

  it("is invited, changed and deleted", async () => {
    const email = newAddress();
    const { status, body } = await admin.post("/admin/people", { email, role: "owner" });
    expect([status, body]).toEqual([201, expect.objectContaining({ email, role: "owner", name: null })]);
    expect((await mailTo(email)).subject).toBe("You are invited to Petrel");
    expect(outcome(await admin.post("/admin/people", { email }))).toEqual([409, "CONFLICT"]);
    const inProject = await admin.post("/admin/people", { email: newAddress(), role: "admin" });
    expect([inProject.status, inProject.body.error.errors[0].field]).toEqual([422, "role"]);
    expect(inProject.body.error.message).toContain("POST /admin/projects/{id}/people");
    const path = `/admin/people/${body.id}`;
    await signedIn("owner");
    const changed = await admin.patch(path, { name: "Ada", locale: "de", role: null });
    expect(changed.body).toMatchObject({ name: "Ada", locale: "de", role: null });
    expect((await admin.get("/admin/people")).body.data).toContainEqual(changed.body);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(path)).status).toBe(404);
  });

  it("who is the last can be neither deleted nor anything else", async () => {
    const owner = await signedIn("owner");
    await others(owner.personId);
    const id = (await owner.call("GET", "/console/me")).body.person.id;
    for (const caller of [owner.call, asOperator]) {
      expect(outcome(await caller("DELETE", `/admin/people/${id}`))).toEqual([409, "CONFLICT"]);
      expect(outcome(await caller("PATCH", `/admin/people/${id}`, { role: null }))).toEqual([409, "CONFLICT"]);
    }
    expect((await owner.call("GET", "/admin/people")).status).toBe(200);
  });

  it("remains when two take each other away at once", async () => {
    for (const how of ["PATCH", "DELETE"]) {
      const [one, two] = [await signedIn("owner"), await signedIn("owner")];
      await others(one.personId, two.personId);
      const idOf = async (visitor: typeof one) => (await visitor.call("GET", "/console/me")).body.person.id;
      const [first, second] = [await idOf(one), await idOf(two)];
      const body = how === "PATCH" ? { role: null } : undefined;
      const answers = await Promise.all([
        one.call(how, `/admin/people/${second}`, body),
        two.call(how, `/admin/people/${first}`, body),
      ]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(await env.DB.prepare("SELECT count(*) AS n FROM people WHERE is_owner").first("n")).toBe(1);
    }
  });

  it("who is deleted is out, with each session, passkey and link", async () => {
    const [owner, other] = [await signedIn("owner"), await signedIn("owner")];
    await call("POST", "/console/session/link", { email: owner.email }, { headers: { Origin: ourOrigin } });
    const id = (await owner.call("GET", "/console/me")).body.person.id;
    expect((await other.call("DELETE", `/admin/people/${id}`)).status).toBe(204);
    expect((await owner.call("GET", "/console/me")).status).toBe(401);
    for (const [table, column, value] of [
      ["sessions", "person_id", owner.personId],
      ["sign_in_links", "email", owner.email],
    ]) {
      const found = env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).bind(value);
      expect(await found.first("n")).toBe(0);
    }
  });
});
