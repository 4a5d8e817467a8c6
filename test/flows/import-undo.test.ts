import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { startUndo } from "../../src/features/contacts/import/undo/start";
import { importCsv } from "../support/import";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

const hourMs = 3_600_000;

/** The contacts as callers see them, without what every change moves. */
async function contactsOf(project: TestProject): Promise<Record<string, unknown>> {
  const { data } = (await project.api.get("/contacts?limit=100")).body;
  return Object.fromEntries(
    data.map(({ email, version: _, updatedAt: __, ...rest }: Record<string, unknown>) => [email, rest]),
  );
}

async function idOf(project: TestProject, name: string): Promise<string> {
  return (await project.api.get(`/contacts?email=${name}@example.com`)).body.data[0].id;
}

/** Undoes an import with the queue of a world, and returns what a call for it then answers, and the job. */
async function undo(project: TestProject, world: World, importId: string) {
  const { ctx } = await world.context(project);
  await startUndo(ctx, readId(importId));
  await world.drain();
  const started = await project.api.post(`/contacts/import/${importId}/undo`);
  const job = (await project.api.get(`/jobs/${started.body.jobId}`)).body;
  return { started, job };
}

async function peopleBefore(project: TestProject): Promise<void> {
  for (const name of ["ada", "bob", "cyd", "dan"]) {
    await project.api.post("/contacts", { email: `${name}@example.com`, data: { plan: "free", list: [1, null] } });
  }
  await project.api.patch(`/contacts/${await idOf(project, "bob")}`, { subscribed: false });
  await project.api.post(`/contacts/${await idOf(project, "cyd")}/snooze`, { duration: "14d" });
}

const file = [
  "email,plan,city,subscribed,confirmedAt",
  "ada@example.com,pro,Rome,no,2021-01-31",
  "bob@example.com,pro,Oslo,yes,",
  "cyd@example.com,pro,,yes,",
  "new@example.com,pro,Lima,yes,",
  "ada@example.com,team,Bern,no,",
].join("\n");

describe("POST /contacts/import/{jobId}/undo", () => {
  it("erases what the import created, and gives back what it changed", async () => {
    const [project, world] = [await newProject(), new World()];
    await peopleBefore(project);
    const before = await contactsOf(project);
    const { jobId } = await importCsv(project, file, world, { takesSubscribed: true, takesAll: true });
    expect(await contactsOf(project)).not.toEqual(before);
    const { started, job } = await undo(project, world, jobId);
    expect([started.status, started.body]).toEqual([202, { jobId: expect.stringMatching(uuid), status: "queued" }]);
    expect(job).toMatchObject({
      type: "contacts.import-undo",
      status: "completed",
      result: { removed: 1, restored: 3, kept: 0 },
    });
    expect(await contactsOf(project)).toEqual(before);
    expect((await project.api.get("/contacts")).body.total).toBe(4);
    const counted = project.db.prepare("SELECT contacts, subscribed FROM project_counts WHERE project_id = ?");
    expect(await counted.bind(project.id).first()).toEqual({ contacts: 4, subscribed: 2 });
    // Each flip of the import is told, and each flip back.
    expect(await eventCounts(project)).toMatchObject({ "contact.subscribed": 3, "contact.unsubscribed": 5 });
  });

  it("keeps what somebody touched since: data, subscription, mail, events", async () => {
    const [project, world] = [await newProject(), new World()];
    await peopleBefore(project);
    const rows = ["ada,pro", "bob,pro", "quiet,pro", "mailed,pro", "seen,pro", "edited,pro", "gone,pro"];
    const csv = `email,plan\n${rows.map((row) => row.replace(",", "@example.com,")).join("\n")}\n`;
    const { jobId } = await importCsv(project, csv, world);
    await project.api.patch(`/contacts/${await idOf(project, "ada")}`, { data: { note: "hers" } });
    await project.api.patch(`/contacts/${await idOf(project, "edited")}`, { subscribed: false });
    await project.api.send({ to: "mailed@example.com" });
    await project.api.post("/events/track", { email: "seen@example.com", event: "visit" });
    await project.api.delete(`/contacts/${await idOf(project, "gone")}`);
    const { job } = await undo(project, world, jobId);
    expect(job.result).toEqual({ removed: 1, restored: 1, kept: 4 });
    const after = await contactsOf(project);
    expect(Object.keys(after).toSorted()).toEqual(
      ["ada", "bob", "cyd", "dan", "edited", "mailed", "seen"].map((name) => `${name}@example.com`),
    );
    expect(after["ada@example.com"]).toMatchObject({ data: { plan: "pro", note: "hers" } });
    expect(after["bob@example.com"]).toMatchObject({ data: { plan: "free" } });
  });

  it("keeps what somebody changed between two rows of one address, in chunks of their own", async () => {
    const [project, world] = [await newProject(), new World()];
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "free" } });
    const others = Array.from({ length: 1_200 }, (_, n) => `${n}@example.com,x`);
    const twice = (name: string) => [`${name}@example.com,first`, `${name}@example.com,second`];
    const [ada, amy] = [twice("ada"), twice("amy")];
    const rows = ["email,plan", ada[0], amy[0], ...others, ada[1], amy[1]];
    // Somebody changes both right after the first chunk.
    const touch = `CREATE TRIGGER touch AFTER UPDATE ON contacts WHEN NEW.project_id = ${project.number}
        AND NEW.data->>'plan' = 'first' BEGIN
        UPDATE contacts SET version = version + 1, data = json_set(data, '$.note', 'hers') WHERE id = NEW.id; END`;
    const touchNew = touch.replace("touch", "touch_new").replace("UPDATE ON", "INSERT ON");
    await project.db.batch([project.db.prepare(touch), project.db.prepare(touchNew)]);
    const { jobId } = await importCsv(project, rows.join("\n"), world).finally(() =>
      project.db.batch(["touch", "touch_new"].map((name) => project.db.prepare(`DROP TRIGGER ${name}`))),
    );
    const { job } = await undo(project, world, jobId);
    expect(job.result).toMatchObject({ removed: 1_200, kept: 2 });
    for (const name of ["ada", "amy"]) {
      const { data } = (await project.api.get(`/contacts/${await idOf(project, name)}`)).body;
      expect(data).toMatchObject({ plan: "second", note: "hers" });
    }
  });

  it("goes chunk by chunk through a large import", async () => {
    const [project, world] = [await newProject(), new World()];
    const emails = Array.from({ length: 450 }, (_, n) => `u${n}@example.com`);
    await importCsv(project, `email,n\n${emails.slice(0, 250).join(",1\n")},1\n`, world);
    const { jobId } = await importCsv(project, `email,n\n${emails.join(",2\n")},2\n`, world);
    const { job } = await undo(project, world, jobId);
    expect(job.result).toEqual({ removed: 200, restored: 250, kept: 0 });
    const { data, total } = (await project.api.get("/contacts?limit=100")).body;
    expect([total, new Set(data.map((one: { data: { n: number } }) => one.data.n))]).toEqual([250, new Set([1])]);
  });

  it("is done once, however often the process dies and the caller asks", async () => {
    const [project, world] = [await newProject(), new World()];
    await peopleBefore(project);
    const before = await contactsOf(project);
    const { jobId } = await importCsv(project, file, world, { takesSubscribed: true, takesAll: true });
    const asked = await Promise.all([1, 2, 3].map(() => project.api.post(`/contacts/import/${jobId}/undo`)));
    expect(new Set(asked.map(({ body }) => body.jobId)).size).toBe(1);
    for (let atStep = 1; world.queue.length > 0 && atStep < 20; atStep++) {
      await world.runAndDie({ atStep, when: atStep % 2 ? "before" : "after" });
    }
    await world.pass(6);
    const undoJobId = asked[0]?.body.jobId;
    expect((await project.api.get(`/jobs/${undoJobId}`)).body).toMatchObject({
      status: "completed",
      result: { removed: 1, restored: 3, kept: 0 },
    });
    expect(await contactsOf(project)).toEqual(before);
    expect((await project.api.get(`/contacts/import/${jobId}`)).body).toMatchObject({ undoJobId });
  });

  it("may be asked for a day after the import has ended, and never while it runs", async () => {
    const [project, world] = [await newProject(), new World()];
    const job = await importCsv(project, "email\nada@example.com\n", world);
    expect(Date.parse(job.undoableUntil) - Date.parse(job.completedAt)).toBe(24 * hourMs);
    const set = (fields: string) =>
      project.db.prepare(`UPDATE jobs SET ${fields} WHERE project_id = ?`).bind(project.number).run();
    await set("status = 'processing', completed_at = NULL");
    const running = await project.api.post(`/contacts/import/${job.jobId}/undo`);
    expectRefusal(running, 409, "CONFLICT");
    await set(`status = 'completed', completed_at = ${Date.now() - 25 * hourMs}`);
    const late = await project.api.post(`/contacts/import/${job.jobId}/undo`);
    expectRefusal(late, 409, "CONFLICT", { details: { undoableUntil: expect.any(String) } });
    expect(await contactsOf(project)).toHaveProperty(["ada@example.com"]);
  });

  it("is 404 for no import, and for another project's", async () => {
    const [project, other, world] = [await newProject(), await newProject(), new World()];
    const { jobId } = await importCsv(other, "email\nada@example.com\n", world);
    for (const id of ["nope", jobId]) {
      expectRefusal(await project.api.post(`/contacts/import/${id}/undo`), 404, "RESOURCE_NOT_FOUND", {
        details: { resource: "job", id },
      });
    }
  });

  it("leaves contacts alone of which a chunk overwrote too much to keep", async () => {
    const [project, world] = [await newProject(), new World()];
    const big = "x".repeat(60_000);
    for (let n = 0; n < 40; n++) await project.api.post("/contacts", { email: `u${n}@example.com`, data: { big } });
    const rows = Array.from({ length: 40 }, (_, n) => `u${n}@example.com,pro`);
    const { jobId } = await importCsv(project, `email,plan\n${rows.join("\n")}\n`, world);
    const { job } = await undo(project, world, jobId);
    expect(job.result).toEqual({ removed: 0, restored: 33, kept: 7 });
  });

  it("forgets what was overwritten after three days, and with the person", async () => {
    const [project, world] = [await newProject(), new World()];
    await importCsv(project, "email\nada@example.com\nbob@example.com\n", world);
    const rows = () =>
      project.db
        .prepare("SELECT count(*) AS n FROM import_changes WHERE project_id = ?")
        .bind(project.number)
        .first("n");
    await project.api.delete(`/contacts/${await idOf(project, "bob")}`);
    expect(await rows()).toBe(1);
    world.now += 71 * hourMs;
    await world.sweep("*/5 * * * *");
    expect(await rows()).toBe(1);
    world.now += 2 * hourMs;
    await world.sweep("*/5 * * * *");
    expect(await rows()).toBe(0);
  });
});

it("an undo of an import with errors has at most twenty jobs open that erase contacts", async () => {
  const [project, world] = [await newProject(), new World()];
  const people = Array.from({ length: 2_450 }, (_, index) => `p${index}@example.com`);
  const { jobId } = await importCsv(project, `email\nnope\n${people.join("\n")}\n`, world);
  expect((await project.api.get("/contacts")).body.total).toBe(people.length);
  const open = async () =>
    (await project.db
      .prepare(
        "SELECT count(*) AS n FROM jobs WHERE project_id = ? AND type = 'contacts.erase' AND status IN ('queued', 'processing')",
      )
      .bind(project.number)
      .first<number>("n")) ?? 0;
  const { ctx } = await world.context(project);
  const undoId = await startUndo(ctx, readId(jobId));
  // The consumers of erasures are slow: for a while, the world only takes the messages of the undo.
  const undoing = ({ queued }: { queued: { message: { type: string } } }) =>
    queued.message.type === "contacts.import-undo";
  let most = 0;
  for (let turn = 0; turn < 6; turn++) {
    const others = world.queue.filter((each) => !undoing(each));
    world.queue = world.queue.filter(undoing);
    if (world.queue.length > 0) await world.runAndDie({ atStep: Number.POSITIVE_INFINITY, when: "before" });
    world.queue.push(...others);
    most = Math.max(most, await open());
    world.now += 10_000;
    await world.sweep();
  }
  expect(most).toBe(20);
  await world.pass(3);
  expect((await project.api.get(`/jobs/${publicId(undoId)}`)).body).toMatchObject({
    status: "completed",
    result: { removed: people.length, restored: 0, kept: 0 },
  });
  expect([await open(), (await project.api.get("/contacts")).body.total]).toEqual([0, 0]);
});
