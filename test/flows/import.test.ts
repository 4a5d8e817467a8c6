import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { startImport } from "../../src/features/contacts/import/start";
import { handleMessage } from "../../src/queue";
import { storedId } from "../support/as-seen";
import { utf8 } from "../support/import";
import { type Death, wasKilled } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

// Two chunks of a hundred rows: addresses that are there, come twice, and are none.
const others = Array.from({ length: 145 }, (_, n) => `u${n}@example.com,${n}`);
const file = [
  "email,n,subscribed",
  ...["ada@example.com,1,no", "nope,1,no", "bob@example.com,1,"],
  ...others,
  ...["bob@example.com,2,no", ",3"],
].join("\n");
const done = { status: "completed", progress: 100, totalRows: 150, imported: 146, updated: 2, skipped: 2 };
const errors = [
  { row: 3, email: "nope", reason: "invalid_email" },
  { row: 151, email: "", reason: "missing_email" },
];

/** More steps than an import of two chunks takes: the last deaths never come, and must change nothing. */
const deaths: Death[] = Array.from({ length: 11 }, (_, index) => index + 1).flatMap((atStep) => [
  { atStep, when: "before" },
  { atStep, when: "after" },
]);
const name = ({ atStep, when }: Death) => `${when} step ${atStep}`;

async function uploaded(world: World): Promise<{ project: TestProject; jobId: string }> {
  const project = await newProject();
  await project.api.post("/contacts", { email: "ada@example.com", data: { n: 0 } });
  const { ctx } = await world.context(project);
  return { project, jobId: publicId(await startImport(ctx, utf8(file))) };
}

async function expectDone({ project, jobId }: { project: TestProject; jobId: string }): Promise<void> {
  expect((await project.api.get(`/contacts/import/${jobId}`)).body).toMatchObject({
    ...done,
    errors,
    warnings: [{ message: expect.stringMatching(/^2 rows say no/) }],
  });
  const counts = await project.db
    .prepare(
      `SELECT count(*) AS contacts, sum(data->>'n') AS n, max(version) AS version,
      (SELECT contacts FROM project_counts WHERE project_id = ?1) AS kept FROM contacts WHERE project_id = ?1`,
    )
    .bind(project.id)
    .first();
  // Ada is 1 now and Bob is 2; a chunk that was written twice would show in a version.
  expect(counts).toEqual({ contacts: 147, n: (144 * 145) / 2 + 1 + 2, version: 2, kept: 147 });
  expect((await env.BLOBS.list({ prefix: `import/${project.id}/` })).objects).toEqual([]);
}

describe("an import killed at any step", () => {
  it.each(deaths.map((death) => [name(death), death] as const))("%s: every row counts once", async (_, death) => {
    const world = new World();
    const upload = await uploaded(world);
    await world.runAndDie(death);
    await world.drain();
    await expectDone(upload);
  });

  it("goes on when its message was lost", async () => {
    const world = new World();
    const upload = await uploaded(world);
    await world.runAndDie({ atStep: 6, when: "after" });
    world.queue = [];
    await world.pass(6);
    await expectDone(upload);
  });
});

it("is imported once when its message comes twice, and when two runs work on it at the same time", async () => {
  const world = new World();
  const upload = await uploaded(world);
  const job = { type: "contacts.import" as const, projectId: upload.project.number, jobId: readId(upload.jobId) };
  const run = () => handleMessage(world.process().platform, job);
  await Promise.all([run(), run(), run()]);
  await world.drain();
  await expectDone(upload);
  const { body } = await upload.project.api.get(`/contacts/import/${upload.jobId}`);
  await run();
  expect((await upload.project.api.get(`/contacts/import/${upload.jobId}`)).body).toEqual(body);
});

it("shows how far it is", async () => {
  const world = new World();
  const { project, jobId } = await uploaded(world);
  // The file is read and counted, and the first chunk is in.
  await world.runAndDie({ atStep: 5, when: "after" });
  expect((await project.api.get(`/contacts/import/${jobId}`)).body).toMatchObject({
    status: "processing",
    progress: 66,
    totalRows: 150,
    imported: 98,
    updated: 1,
    skipped: 1,
    errors: errors.slice(0, 1),
    completedAt: null,
  });
});

it("moves its progress while it works, on a small file too", async () => {
  const [project, world] = [await newProject(), new World()];
  const { ctx } = await world.context(project);
  const rows = Array.from({ length: 900 }, (_, n) => `u${n}@example.com`).join("\n");
  const jobId = publicId(await startImport(ctx, utf8(`email\n${rows}\n`)));
  const [message] = world.queue.splice(0);
  if (!message) throw new Error("Nothing was queued");
  const { platform, process } = world.process();
  const step = process.step.bind(process);
  const seen = new Set<number>();
  process.step = async (name, effect) => {
    seen.add((await project.api.get(`/contacts/import/${jobId}`)).body.progress);
    return step(name, effect);
  };
  await handleMessage(platform, message.queued.message);
  expect([...seen]).toEqual([0, 11, 22, 33, 44, 55, 66, 77, 88, 99]);
});

it("fails with a reason when its file is lost", async () => {
  const world = new World();
  const { project, jobId } = await uploaded(world);
  await env.BLOBS.delete(`import/${project.id}/${storedId(jobId)}`);
  await world.drain();
  expect((await project.api.get(`/contacts/import/${jobId}`)).body).toMatchObject({
    status: "failed",
    imported: 0,
    reason: "The file is no longer stored. Upload it again.",
  });
});

it("stops when its project is deleted", async () => {
  const world = new World();
  const { project } = await uploaded(world);
  await world.runAndDie({ atStep: 5, when: "after" });
  await env.DB.prepare("UPDATE projects SET deleted_at = 1 WHERE id = ?").bind(project.id).run();
  world.now += 60_000;
  await world.drain();
  const contacts = await project.db.prepare("SELECT count(*) AS n FROM contacts WHERE project_id = ?").bind(project.id);
  expect(await contacts.first("n")).toBe(99);
});

describe("an upload killed at any step", () => {
  it.each(deaths.slice(0, 6).map((death) => [name(death), death] as const))("%s: all or nothing", async (_, death) => {
    const project = await newProject();
    const world = new World();
    const { ctx } = await world.context(project, death);
    const jobId = await startImport(ctx, utf8("email\nada@example.com\n")).catch((error: unknown) => {
      if (wasKilled(error)) return null;
      throw error;
    });
    await world.pass(6);
    const { results } = await project.db
      .prepare("SELECT id, status FROM jobs WHERE project_id = ?")
      .bind(project.id)
      .all();
    if (jobId !== null) expect(results).toEqual([{ id: publicId(jobId), status: "completed" }]);
    expect(results.map(({ status }) => status)).toEqual(
      death.atStep === 1 && death.when === "before" ? [] : ["completed"],
    );
  });
});
