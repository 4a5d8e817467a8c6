import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { eventCounts } from "../support/rows";

const email = "ada@example.com";

async function contactWith(project: TestProject, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await project.api.post("/contacts", { email, ...fields });
  expect(status).toBeLessThan(300);
  return body.id;
}

async function erase(project: TestProject, id: string): Promise<void> {
  const { status, body } = await project.api.delete(`/contacts/${id}`);
  expect([status, body]).toEqual([204, ""]);
}

async function remembered(project: TestProject) {
  const { results } = await project.db
    .prepare("SELECT hash, opted_out_at, suppressed_reason FROM erased_addresses WHERE project_id = ?")
    .bind(project.id)
    .all<{ hash: string; opted_out_at: number | null; suppressed_reason: string | null }>();
  return results;
}

async function suppressed(project: TestProject) {
  return (await project.api.get("/suppressions")).body.data.map(({ email, reason }: Record<string, string>) => [
    email,
    reason,
  ]);
}

/** HMAC-SHA-256 in hex, under the project's own key. */
async function hmacOf(project: TestProject, text: string): Promise<string> {
  const row = await env.DB.prepare("SELECT address_key FROM projects WHERE id = ?")
    .bind(project.id)
    .first<{ address_key: string }>();
  const bytes = (written: string) => new TextEncoder().encode(written);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(row?.address_key ?? ""), algorithm, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(text)));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

describe("DELETE /contacts/{id}", () => {
  it("erases a contact, once", async () => {
    const project = await newProject();
    const id = await contactWith(project);
    await erase(project, id);
    for (const method of ["GET", "DELETE"]) {
      const again = await call(method, `/contacts/${id}`, undefined, bearer(project.keys.secret));
      expectRefusal(again, 404, "CONTACT_NOT_FOUND", { details: { resource: "contact", id } });
    }
    expect((await project.api.get("/contacts")).body).toMatchObject({ data: [], total: 0 });
    expect(await remembered(project)).toEqual([]);
  });

  it("knows no contact of another project, nor one that never was", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const id = await contactWith(other);
    for (const path of [id, "nope", "01990000-0000-7000-8000-000000000000"]) {
      expectRefusal(await mine.api.delete(`/contacts/${path}`), 404, "CONTACT_NOT_FOUND", {
        details: { resource: "contact", id: path },
      });
    }
    expect((await other.api.get(`/contacts/${id}`)).status).toBe(200);
  });

  it("is refused in a disabled project", async () => {
    const project = await newProject();
    const id = await contactWith(project);
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await project.api.delete(`/contacts/${id}`), 403, "PROJECT_DISABLED");
    expect((await project.api.get(`/contacts/${id}`)).status).toBe(200);
  });

  it("of sixteen at once lets one through", async () => {
    const project = await newProject();
    const id = await contactWith(project);
    const answers = await Promise.all(Array.from({ length: 16 }, () => project.api.delete(`/contacts/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(15).fill(404)]);
  });

  it("empties the record of a mail that others got too, and leaves theirs", async () => {
    const project = await newProject();
    const { body } = await project.api.send({ to: [email, "bob@example.com"], subject: "For Ada and Bob" });
    const [mine, theirs] = body.data.emails;
    await erase(project, mine.contact.id);
    const { body: list } = await project.api.get("/emails");
    const shown = list.data.map(({ id, to, subject }: Record<string, string>) => [id, to, subject]);
    expect(shown).toHaveLength(2);
    expect(shown).toContainEqual([mine.email, "", ""]);
    expect(shown).toContainEqual([theirs.email, "bob@example.com", "For Ada and Bob"]);
  });

  it("remembers an address by a hash under the project's own key, and nothing of whom nobody must remember", async () => {
    const [one, other] = [await newProject(), await newProject()];
    for (const project of [one, other]) await erase(project, await contactWith(project, { subscribed: false }));
    const hashes = (await Promise.all([one, other].map(remembered))).map(([row]) => row?.hash);
    expect(hashes[0]).toBe(await hmacOf(one, email));
    expect(hashes[0]).not.toBe(hashes[1]);
  });
});

describe("a contact that is created again", () => {
  const paths: [string, (project: TestProject, subscribed?: boolean) => Promise<number>][] = [
    [
      "POST /contacts",
      async ({ api }, subscribed) => (await api.post("/contacts", { email: " Ada@Example.com", subscribed })).status,
    ],
    ["POST /v1/send", async ({ api }, subscribed) => (await api.send({ to: email, subscribed })).status],
    [
      "POST /v1/track",
      async ({ keys }, subscribed) =>
        (await call("POST", "/v1/track", { email, event: "e", subscribed }, bearer(keys.public))).status,
    ],
    [
      "POST /events/track",
      async ({ api }, subscribed) => (await api.post("/events/track", { email, event: "e", subscribed })).status,
    ],
  ];

  // Nothing is remembered of who came back by an explicit yes.
  const yesOfServer = [
    [true, 1, false],
    [undefined, null, false],
  ] as const;

  it.each(paths)("by %s is unsubscribed since then, unless a server says otherwise", async (path, create) => {
    const project = await newProject();
    await contactWith(project, { subscribed: false });
    for (const [said, subscribed, isOptedOut] of [
      [undefined, 0, true],
      [false, 0, true],
      // A public key does not lift what a person said.
      ...(path === "POST /v1/track" ? [] : yesOfServer),
    ] as const) {
      const before = await contactOf(project);
      await erase(project, before.id);
      const status = await create(project, said);
      expect([200, 201]).toContain(status);
      const after = await contactOf(project);
      expect(after.id).not.toBe(before.id);
      expect(after).toMatchObject({ opted_out_at: isOptedOut ? before.opted_out_at : null, data: "{}" });
      if (subscribed !== null) expect(after.subscribed).toBe(subscribed);
      expect(await remembered(project)).toEqual([]);
    }
    const { "contact.subscribed": came = 0, "contact.unsubscribed": left = 0 } = await eventCounts(project);
    expect([came, left], "creating a contact is no flip").toEqual([0, 0]);
  });

  it.each(paths)("by %s is suppressed as before, also after an explicit yes", async (_, create) => {
    const project = await newProject();
    await erase(project, await suppressedContact(project));
    expect([await suppressed(project), (await remembered(project)).length]).toEqual([[], 1]);
    await create(project, true);
    expect([await suppressed(project), (await remembered(project)).length]).toEqual([[[email, "complaint"]], 0]);
    const { body } = await project.api.send();
    expect(body.data.emails[0].status).toBe("SUPPRESSED");
  });

  it("gets the mail of its own call held back", async () => {
    const project = await newProject();
    await erase(project, await suppressedContact(project));
    const { body } = await project.api.send({ to: ["bob@example.com", email] });
    expect(body.data.emails.map(({ status }: Record<string, string>) => status)).toEqual(["QUEUED", "SUPPRESSED"]);
  });

  it("leaves what was remembered alone when the call is refused", async () => {
    const project = await newProject();
    await erase(project, await suppressedContact(project));
    const before = await remembered(project);
    expect((await project.api.send({ from: "hi@elsewhere.example" })).status).toBe(403);
    expect([await remembered(project), await suppressed(project)]).toEqual([before, []]);
  });

  it("is remembered as it was last", async () => {
    const project = await newProject();
    await erase(project, await suppressedContact(project, { subscribed: false }));
    expect(await remembered(project)).toMatchObject([
      { suppressed_reason: "complaint", opted_out_at: expect.any(Number) },
    ]);
    await contactWith(project, { subscribed: true });
    await project.api.delete(`/suppressions/${email}`);
    await erase(project, (await contactOf(project)).id);
    expect(await remembered(project)).toEqual([]);
  });

  async function suppressedContact(project: TestProject, fields: Record<string, unknown> = {}): Promise<string> {
    const id = await contactWith(project, fields);
    expect((await project.api.post("/suppressions", { email, reason: "complaint" })).status).toBe(201);
    return id;
  }

  async function contactOf(project: TestProject) {
    const row = await project.db
      .prepare("SELECT id, subscribed, opted_out_at, data FROM contacts WHERE project_id = ? AND email = ?")
      .bind(project.id, email)
      .first<{ id: string; subscribed: number; opted_out_at: number | null; data: string }>();
    if (!row) throw new Error(`${email} is no contact`);
    return row;
  }
});
