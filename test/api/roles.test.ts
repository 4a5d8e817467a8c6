import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newCampaign } from "../support/campaign";
import { admin, call, newProject } from "../support/project";
import { soundTemplate } from "../support/template";
import { signedIn } from "../support/visitor";

const hour = 3_600_000;

describe("a session in a project", () => {
  it("is one with a key, and has no key", async () => {
    const project = await newProject();
    const visitor = await signedIn({ project, as: { role: "editor" } });
    const created = await visitor.call("POST", "/contacts", { email: "ada@example.com" }, project);
    expect(created.status).toBe(201);
    expect((await project.api.get("/contacts")).body.data).toHaveLength(1);
    const me = await visitor.call("GET", "/me", undefined, project);
    expect(me.body).toMatchObject({ project: { id: project.id }, key: null });
  });

  it("names its project, and cannot have a key beside it", async () => {
    const project = await newProject();
    const visitor = await signedIn({ project, as: { role: "editor" } });
    const nowhere = await visitor.call("GET", "/contacts");
    expect([nowhere.status, nowhere.body.error.message]).toEqual([400, expect.stringContaining("Petrel-Project")]);
    const headers = { ...visitor.headers(project), Authorization: `Bearer ${project.keys.secret}` };
    expect((await call("GET", "/contacts", undefined, { headers })).status).toBe(400);
  });

  it("meets no other project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const visitor = await signedIn({ project, as: { role: "admin" } });
    for (const [method, path] of [
      ["GET", "/contacts"],
      ["GET", `/admin/projects/${other.id}/keys`],
    ] as const) {
      const answer = await visitor.call(method, path, undefined, other);
      expect([answer.status, answer.body.error.code], path).toEqual([404, "RESOURCE_NOT_FOUND"]);
    }
    const owner = await signedIn("owner");
    expect((await owner.call("GET", "/contacts", undefined, other)).status).toBe(200);
  });

  it("has idempotency keys of its own", async () => {
    const project = await newProject();
    const visitor = await signedIn({ project, as: { role: "editor" } });
    const mail = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>" };
    const key = { "Idempotency-Key": "order-1" };
    const send = (headers: Record<string, string>) =>
      call("POST", "/v1/send", mail, { headers: { ...headers, ...key } });
    expect((await send({ Authorization: `Bearer ${project.keys.secret}` })).status).toBe(200);
    expect((await send(visitor.headers(project))).status).toBe(200);
    expect((await send(visitor.headers(project))).status).toBe(409);
  });
});

describe("a role", () => {
  const tooLow = (has: string | null, needs: object) => ({
    status: 403,
    body: { error: { code: "ROLE_TOO_LOW", details: { role: has, needs } } },
  });

  it("of a viewer reads, and calls what only reads", async () => {
    const project = await newProject();
    const viewer = await signedIn({ project, as: { role: "viewer" } });
    expect((await viewer.call("GET", "/contacts", undefined, project)).status).toBe(200);
    const preview = await viewer.call("POST", "/segments/preview", { condition: null }, project);
    expect(preview.status).not.toBe(403);
    const refused = await viewer.call("POST", "/contacts", { email: "ada@example.com" }, project);
    expect(refused).toMatchObject(tooLow("viewer", { role: "editor" }));
    expect((await project.api.get("/contacts")).body.data).toEqual([]);
  });

  it("of an editor writes, but not keys, domains, webhooks and settings", async () => {
    const project = await newProject();
    const editor = await signedIn({ project, as: { role: "editor" } });
    expect((await editor.call("POST", "/templates", soundTemplate(project), project)).status).toBe(201);
    const refusals = [
      await editor.call("POST", "/domains", { domain: "acme.example" }, project),
      await editor.call("POST", "/webhooks", { url: "https://hooks.example.com", events: ["*"] }, project),
      await editor.call("PATCH", `/admin/projects/${project.id}`, { name: "Other" }),
      await editor.call("GET", `/admin/projects/${project.id}/keys`),
    ];
    for (const refused of refusals) expect(refused).toMatchObject(tooLow("editor", { role: "admin" }));
  });

  it("of an admin has the whole project, and not what the installation gives it", async () => {
    const project = await newProject();
    const admin = await signedIn({ project, as: { role: "admin" } });
    const path = `/admin/projects/${project.id}`;
    expect((await admin.call("PATCH", path, { name: "Other" })).status).toBe(200);
    const key = await admin.call("POST", `${path}/keys`, { kind: "secret" });
    expect(key.status).toBe(201);
    expect((await admin.call("DELETE", `${path}/keys/${key.body.id}`)).status).toBe(204);
    const refused = [
      await admin.call("PATCH", path, { monthlySendLimit: null }),
      await admin.call("DELETE", path),
      await admin.call("GET", "/admin/projects"),
      await admin.call("GET", "/admin/people"),
    ];
    for (const answer of refused) {
      expect([answer.status, answer.body.error.details.needs]).toEqual([403, { role: "owner" }]);
    }
  });

  it("of an owner has the installation", async () => {
    const owner = await signedIn("owner");
    expect((await owner.call("GET", "/admin/projects")).status).toBe(200);
    const created = await owner.call("POST", "/admin/projects", { name: "New" });
    expect(created.status).toBe(201);
    expect((await owner.call("DELETE", `/admin/projects/${created.body.project.id}`)).status).toBe(202);
  });

  it("is none for a person without a membership", async () => {
    const stranger = await signedIn(null);
    const project = await newProject();
    expect((await stranger.call("GET", "/contacts", undefined, project)).status).toBe(404);
    const refused = await stranger.call("GET", "/admin/projects");
    expect([refused.status, refused.body.error.code]).toEqual([403, "ROLE_TOO_LOW"]);
  });
});

describe("an editor who only writes drafts", () => {
  it("is refused what sends, with the names of people who may", async () => {
    const project = await newProject();
    const sender = await signedIn({ project, as: { role: "editor" } });
    const drafter = await signedIn({ project, as: { role: "editor", maySend: false } });
    const template = await drafter.call("POST", "/templates", soundTemplate(project), project);
    expect(template.status).toBe(201);
    const workflow = await drafter.call("POST", "/workflows", { name: "Welcome", eventName: "signup" }, project);
    expect(workflow.status).toBe(201);
    const mail = { to: "ada@example.com", from: `hello@${project.domain}`, subject: "Hi", body: "<p>Hi</p>" };
    const refused = [
      await drafter.call("POST", "/v1/send", mail, project),
      await drafter.call("POST", "/campaigns/0199a0f2-0000-7000-8000-000000000000/send", {}, project),
      await drafter.call("PATCH", `/workflows/${workflow.body.id}`, { enabled: true }, project),
    ];
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([403, "ROLE_TOO_LOW"]);
      expect(body.error.details.needs).toEqual({ role: "editor", maySend: true });
      expect(body.error.details.mayDo).toContain(sender.email);
    }
    expect((await drafter.call("PATCH", `/workflows/${workflow.body.id}`, { name: "Hi" }, project)).status).toBe(200);
    expect((await project.api.get("/emails")).body.data).toEqual([]);
  });

  it("changes no campaign that goes out by itself at its time", async () => {
    const project = await newProject();
    const drafter = await signedIn({ project, as: { role: "editor", maySend: false } });
    const { id } = await newCampaign(project);
    const change = () => drafter.call("PUT", `/campaigns/${id}`, { subject: "Mine" }, project);
    expect((await change()).status).toBe(200);
    const scheduledFor = new Date(Date.now() + hour).toISOString();
    expect((await project.api.post(`/campaigns/${id}/send`, { scheduledFor })).status).toBe(200);
    const { status, body } = await change();
    expect([status, body.error.code]).toEqual([403, "ROLE_TOO_LOW"]);
  });
});

describe("a proof", () => {
  it("of the last ten minutes is needed for keys, for erasing people and projects", async () => {
    const project = await newProject();
    const contact = (await project.api.post("/contacts", { email: "ada@example.com" })).body.id;
    const owner = await signedIn("owner", hour);
    const refused = [
      await owner.call("POST", `/admin/projects/${project.id}/keys`, { kind: "secret" }),
      await owner.call("DELETE", `/admin/projects/${project.id}`),
      await owner.call("DELETE", `/contacts/${contact}`, undefined, project),
      await owner.call("POST", "/contacts/bulk-delete", { contactIds: [contact] }, project),
      await owner.call("POST", "/admin/people/link", {}),
    ];
    for (const { status, body } of refused) expect([status, body.error.code]).toEqual([403, "PROOF_NEEDED"]);
    expect((await project.api.get(`/contacts/${contact}`)).status).toBe(200);
    const fresh = await signedIn("owner");
    expect((await fresh.call("DELETE", `/contacts/${contact}`, undefined, project)).status).toBe(204);
  });
});

describe("somebody who was removed, in the seconds in which sessions are cached", () => {
  it("makes no key of the project", async () => {
    const project = await newProject();
    const removed = await signedIn({ project, as: { role: "admin" } });
    const path = `/admin/projects/${project.id}/keys`;
    expect((await removed.call("GET", path)).status).toBe(200);
    await env.DB.prepare("DELETE FROM memberships WHERE person_id = ?").bind(removed.personId).run();
    const { status, body } = await removed.call("POST", path, { kind: "secret" });
    expect([status, body.error.code]).toEqual([403, "ROLE_TOO_LOW"]);
    expect((await admin.get(path)).body).toHaveLength(2);
  });

  it("prints no link", async () => {
    const removed = await signedIn("owner");
    expect((await removed.call("GET", "/admin/people")).status).toBe(200);
    await env.DB.prepare("UPDATE people SET is_owner = 0 WHERE id = ?").bind(removed.personId).run();
    const { status, body } = await removed.call("POST", "/admin/people/link", {});
    expect([status, body.error.code]).toEqual([403, "ROLE_TOO_LOW"]);
  });
});

describe("a campaign that can reach more than 10,000 people", () => {
  it("is started by a person with a proof, and by a key", async () => {
    const project = await newProject();
    const count = (subscribed: number) =>
      project.db
        .prepare("UPDATE project_counts SET subscribed = ? WHERE project_id = ?")
        .bind(subscribed, project.number)
        .run();
    await project.api.post("/contacts", { email: "ada@example.com" });
    const stale = await signedIn({ project, as: { role: "editor" } }, hour);
    const path = `/campaigns/${(await newCampaign(project)).id}/send`;
    await count(10_001);
    for (const body of [{}, { scheduledFor: new Date(Date.now() + hour).toISOString() }]) {
      const refused = await stale.call("POST", path, body, project);
      expect([refused.status, refused.body.error.code]).toEqual([403, "PROOF_NEEDED"]);
    }
    expect((await project.api.get(path.replace("/send", ""))).body.status).toBe("DRAFT");
    await count(10_000);
    const scheduled = { scheduledFor: new Date(Date.now() + hour).toISOString() };
    expect((await stale.call("POST", path, scheduled, project)).status).toBe(200);
    await count(10_001);
    const fresh = await signedIn({ project, as: { role: "editor" } });
    expect((await fresh.call("POST", path, scheduled, project)).status).toBe(200);
    expect((await project.api.post(path, scheduled)).status).toBe(200);
    await count(1);
  });
});
