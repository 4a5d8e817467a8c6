import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Manifest } from "../../src/engine/backups/manifest";
import { restoredRow } from "../../src/engine/backups/restore/restored-row";
import { nothingChanged } from "../../src/engine/backups/restore/state";
import { hashAfter } from "../../src/engine/backups/tally";
import { backUp, folderOfBackup } from "../support/backup";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { startRestore } from "../support/restore";
import { newTemplate } from "../support/template";
import { putFile } from "../support/upload";
import { World } from "../support/world";

const email = (number: number) => `p${number}@example.com`;

describe("a backup that cannot be restored", () => {
  const restore = (body: unknown) => admin.post("/admin/restore", body);

  it("is refused when it is unknown, not complete, or of another format", async () => {
    const world = new World();
    const project = await newProject();
    expect((await restore({ backup: crypto.randomUUID() })).status).toBe(404);
    expect((await restore({ backup: crypto.randomUUID(), as: "" })).status).toBe(422);
    const { body } = await admin.post(`/admin/projects/${project.id}/backup`, {});
    expect((await restore({ backup: body.jobId })).status).toBe(409);
    expect((await admin.get(`/admin/backups/${body.jobId}/files`)).status).toBe(409);
    await world.sweep();
    const other = await newProject();
    const backup = await backUp(world, other);
    const key = `${await folderOfBackup(other)}/manifest.json`;
    await env.BLOBS.put(key, JSON.stringify({ ...(await (await env.BLOBS.get(key))?.json<object>()), format: 2 }));
    const answer = await restore({ backup });
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toContain("has the format 2, and this version of Petrel reads format 1");
    const { id } = (await admin.post("/admin/backups", {})).body;
    expect((await putFile(id, "manifest.json", '{ "format": 2 }')).status).toBe(422);
    expect((await putFile(id, "manifest.json", "{")).body.error.errors[0].field).toBe("file");
    for (const name of ["rows/../manifest.json", "rows", "other/a", "rows/contacts/.a", "manifest.json/a"]) {
      expect((await putFile(id, name, "")).status).toBe(422);
    }
    // Only an upload takes files, not a backup that was made here.
    for (const each of [backup, crypto.randomUUID()]) expect((await putFile(each, "files/a", "")).status).toBe(404);
    const files = `/admin/backups/${backup}/file`;
    expect((await admin.get(`${files}?name=rows/contacts/999999.ndjson`)).status).toBe(404);
    expect((await admin.get(`${files}?name=../../secret`)).status).toBe(422);
    const message = "Required: the name of a file, as GET /admin/backups/{id}/files lists it";
    expect((await admin.get(files)).body.error.errors).toEqual([{ field: "name", code: "required", message }]);
    expect((await admin.get(`/admin/backups/${id}/files`)).status).toBe(409);
    expect((await call("GET", `${files}?name=manifest.json`, undefined, bearer(other.keys.secret))).status).toBe(401);
    await env.BLOBS.delete(key);
    expect((await restore({ backup })).status).toBe(422);
    expect((await admin.get(`/admin/backups/${backup}/files`)).status).toBe(422);
  });

  const damages: Record<string, (text: string, other: TestProject) => string | null> = {
    "a file that is missing": () => null,
    "a file with another hash": (text) => text.replace("p1@", "p2@"),
    "a line that is not JSON": (text) => `${text}{`,
  };
  it.each(Object.entries(damages))("fails its job and leaves a project to delete: %s", async (_, damage) => {
    const world = new World();
    const project = await newProject();
    await project.api.post("/contacts", { email: email(1) });
    const backup = await backUp(world, project);
    const [key = ""] = (
      await env.BLOBS.list({ prefix: `${await folderOfBackup(project)}/rows/contacts/` })
    ).objects.map((object) => object.key);
    const text = damage((await (await env.BLOBS.get(key))?.text()) ?? "", project);
    if (text === null) await env.BLOBS.delete(key);
    else await env.BLOBS.put(key, text);
    const copy = await startRestore(world, backup);
    await world.drain();
    const { body } = await admin.get(`/admin/jobs/${copy.jobId}`);
    expect(body).toMatchObject({ status: "failed", result: null });
    expect(body.errors[0].reason).toMatch(/(missing|hash|JSON).* Delete the project that was restored\.$/);
    const path = `/admin/projects/${copy.id}`;
    expect((await admin.patch(path, { disabled: false })).status).toBe(409);
    expect((await admin.patch(path, { sendingPaused: null })).status).toBe(409);
    expect((await admin.post(`${path}/backup`, {})).status).toBe(409);
    expect((await admin.get(path)).body.disabledReason).toContain("delete the project");
    expect((await admin.delete(path)).status).toBe(202);
  });

  const forgeries: [
    what: string,
    table: string,
    forge: (text: string, victim: TestProject) => string,
    reason: string,
  ][] = [
    [
      "a file of another project",
      "template_versions",
      (text, victim) => text.replaceAll(/template\/[0-9a-f-]{36}\//g, `template/${victim.id}/`),
      "A row names a file of another project.",
    ],
    ["a row twice", "contacts", (text) => text + text, "The database refuses a row of contacts"],
    ["another column", "contacts", (text) => text.replaceAll('"email":', '"emails":'), 'has the column "emails"'],
    ["another clock", "contacts", (text) => text.replaceAll('"clock":0', '"clock":1'), "the clock of another project"],
    ["a list", "contacts", (text) => text.replaceAll('"version":1', '"version":[1]'), "neither a text nor a number"],
  ];
  it.each(forgeries)("cannot bring in what is not its own: %s", async (_, table, forge, reason) => {
    const world = new World();
    const [project, victim] = [await newProject(), await newProject()];
    await project.api.post("/contacts", { email: email(1) });
    await newTemplate(project, { body: `<p>${"long ".repeat(20_000)}</p>` });
    const backup = await backUp(world, project);
    const folder = await folderOfBackup(project);
    const [key = ""] = (await env.BLOBS.list({ prefix: `${folder}/rows/${table}/` })).objects.map((file) => file.key);
    const forged = new TextEncoder().encode(forge((await (await env.BLOBS.get(key))?.text()) ?? "", victim));
    await env.BLOBS.put(key, forged);
    // A forger also writes the hash.
    const manifest = Manifest.parse(await (await env.BLOBS.get(`${folder}/manifest.json`))?.json());
    const tally = manifest.tables[table];
    if (tally) tally.hash = await hashAfter("", forged);
    await env.BLOBS.put(`${folder}/manifest.json`, JSON.stringify(manifest));
    const copy = await startRestore(world, backup);
    await world.drain();
    expect((await admin.get(`/admin/jobs/${copy.jobId}`)).body).toMatchObject({
      status: "failed",
      errors: [{ reason: expect.stringContaining(reason) }],
    });
  });
});

describe("a row that a restore changes", () => {
  const now = 1_800_000_000_000;
  const restoring = { from: { id: "a", number: 1 }, to: { id: "b", number: 2 }, linkBase: null, now };
  const restored = (table: string, row: Record<string, string | number | null>) =>
    restoredRow(table, row, restoring, { ...nothingChanged });

  it.each([
    ["project.erase", "queued", null],
    ["no.such", "queued", null],
    ["contacts.erase", "processing", { status: "processing", next_announce_at: null }],
    ["emails.retry", "processing", { status: "failed", next_announce_at: null, completed_at: now }],
    ["emails.retry", "completed", { status: "completed", next_announce_at: 5 }],
  ])("a job: %s, %s", (type, status, expected) => {
    const found = restored("jobs", { type, status, next_announce_at: 5 });
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  });

  it.each([
    ["webhook_deliveries", { status: "PENDING", next_attempt_at: 5 }, { status: "FAILED", next_attempt_at: null }],
    ["workflow_calls", { next_attempt_at: 5, request: "{}" }, { next_attempt_at: null, request: null, ended_at: now }],
    ["workflow_hosts", { due_at: 5 }, { due_at: null }],
    ["events", { next_announce_at: 5 }, { next_announce_at: null }],
    ["emails", { status: "SENDING", look_up_at: 5, due_at: 5 }, { status: "UNKNOWN", look_up_at: null, due_at: null }],
    ["emails", { status: "UNKNOWN", look_up_at: 5 }, { status: "UNKNOWN", look_up_at: null }],
    ["campaigns", { status: "SENDING", held_reason: "reputation" }, { status: "SENDING", held_reason: "paused" }],
    ["campaigns", { status: "SENDING", held_reason: "bounce rate" }, { held_reason: "bounce rate" }],
    ["contacts", { clock: 1, snoozed_until: 5 }, { clock: 2 }],
    ["contacts", { clock: 0, snoozed_until: 5 }, { clock: 2 }],
    ["contacts", { clock: 0, snoozed_until: null }, { clock: 0 }],
  ])("of %s: %o", (table, row, expected) => {
    expect(restored(table, row)).toMatchObject(expected);
  });

  it.each([
    ["SCHEDULE", "x", 5],
    ["SCHEDULE", '"x"', 5],
    ["SCHEDULE", '{"cron":"x","segmentId":"00000000-0000-7000-8000-000000000000"}', 5],
    ["MANUAL", "{}", 5],
  ])("not of a workflow whose schedule cannot be read: %s %s", (type, config, tick) => {
    const row = { trigger_type: type, trigger_config: config, next_tick_at: tick };
    expect(() => restored("workflows", row)).toThrow("A workflow has a");
  });
});
