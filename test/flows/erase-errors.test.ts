import { expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { deleteContact } from "../../src/features/contacts/delete";
import { startImport } from "../../src/features/contacts/import/start";
import { handleMessage } from "../../src/queue";
import { importCsv, utf8 } from "../support/import";
import type { Death } from "../support/killable";
import { tracesOf } from "../support/person";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

/** More imports with errors than one step of an erasure looks at. */
const imports = 45;

const told = [
  { row: 2, email: "ada.erased@example.com", reason: "data_too_large" },
  { row: 3, email: "nada.erased@example.com", reason: "invalid_string" },
  { row: 4, email: "Ada L. <ADA.ERASED@example.com>", reason: "invalid_email" },
  { row: 5, email: "nope", reason: "invalid_email" },
  { row: 6, email: "", reason: "missing_email" },
];
const erased = told.map((error) => ([2, 4].includes(error.row) ? { ...error, email: "" } : error));

async function addImports(project: TestProject, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  const insert = project.db.prepare(
    `INSERT INTO jobs (project_id, id, type, status, errors, created_at, completed_at)
      VALUES (?, ?, 'contacts.import', 'completed', ?, 0, 0)`,
  );
  await project.db.batch(ids.map((id) => insert.bind(project.id, id, JSON.stringify(told))));
  return ids;
}

async function erase(world: World, project: TestProject, email = "ada.erased@example.com"): Promise<void> {
  const [{ id }] = (await project.api.get(`/contacts?email=${email}`)).body.data;
  await deleteContact((await world.context(project)).ctx, readId(id));
}

const errorsOf = async (project: TestProject, id: string) =>
  (await project.api.get(`/contacts/import/${id}`)).body.errors;

async function withAda(): Promise<TestProject> {
  const project = await newProject();
  await project.api.post("/contacts", { email: "ada.erased@example.com" });
  return project;
}

it("erasing a person empties the address in what imports told of skipped rows, in this project alone", async () => {
  const [project, other, world] = [await withAda(), await newProject(), new World()];
  const [[elsewhere = ""], ids] = [await addImports(other, 1), await addImports(project, imports)];
  const whole = await importCsv(project, `email,n\nnope,1\nbob@example.com,${"x".repeat(70_000)}\n`, world);
  await erase(world, project);
  await world.drain();
  for (const id of ids) expect(await errorsOf(project, id)).toEqual(erased);
  expect(await errorsOf(other, elsewhere)).toEqual(told);
  expect(await errorsOf(project, whole.jobId)).toEqual(whole.errors);
  await other.db.prepare("DELETE FROM jobs WHERE id = ?").bind(elsewhere).run();
  await project.db.prepare(`UPDATE jobs SET errors = replace(errors, 'nada.erased@', 'n@')`).run();
  expect(await tracesOf(["ada.erased@example.com", "ADA.ERASED@example.com"])).toEqual([]);
});

it("erasing a person looks into no job when none told of errors", async () => {
  const [project, world] = [await withAda(), new World()];
  await importCsv(project, "email\nbob@example.com\n", world);
  await erase(world, project);
  expect(world.queue).toEqual([]);
});

const deaths: Death[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].flatMap((atStep) => [
  { atStep, when: "before" },
  { atStep, when: "after" },
]);

it("the addresses go wherever the erasure's runs die, and the job keeps none when it is done", async () => {
  const [project, world] = [await withAda(), new World()];
  const ids = await addImports(project, imports);
  await erase(world, project);
  for (const death of deaths) if (world.queue.length > 0) await world.runAndDie(death);
  await world.drain();
  for (const id of ids) expect(await errorsOf(project, id)).toEqual(erased);
  const job = project.db.prepare("SELECT * FROM jobs WHERE project_id = ? AND type = 'contacts.erase'");
  const row = await job.bind(project.id).first();
  expect(row).toMatchObject({ status: "completed" });
  expect(JSON.stringify(row)).not.toContain("ada@");
  const bounded = world.statements.filter(({ sql }) => /\bjobs\b/.test(sql));
  expect(bounded.some(({ sql }) => /json_set\(e\.value/.test(sql))).toBe(true);
  await expectBounded(bounded);
});

it("an import that goes on brings no address back that was emptied meanwhile", async () => {
  const [project, world] = [await withAda(), new World()];
  const large = "x".repeat(70_000);
  const rows = Array.from({ length: 1_100 }, (_, n) => `u${n}@example.com,1`);
  const file = ["email,n", `ada.erased@example.com,${large}`, ...rows, `bob@example.com,${large}`].join("\n");
  const { ctx } = await world.context(project);
  const jobId = publicId(await startImport(ctx, utf8(file)));
  const [message] = world.queue.splice(0);
  if (!message) throw new Error("Nothing was queued");
  const { platform, process } = world.process();
  const step = process.step.bind(process);
  let chunks = 0;
  // Between what the second chunk's run has read of the job and what it writes.
  process.step = async (name, effect) => {
    const isChunk = process.statements.slice(-12).some(({ sql }) => /INSERT INTO contacts/.test(sql));
    if (name === "batch" && isChunk && (await errorsOf(project, jobId)).length === 1 && chunks++ === 0) {
      const eraser = new World();
      await erase(eraser, project);
      await eraser.drain();
    }
    return step(name, effect);
  };
  await handleMessage(platform, message.queued.message);
  expect(chunks).toBeGreaterThan(0);
  expect((await project.api.get(`/contacts/import/${jobId}`)).body).toMatchObject({
    status: "completed",
    errors: [
      { row: 2, email: "", reason: "data_too_large" },
      { row: 1_103, email: "bob@example.com", reason: "data_too_large" },
    ],
  });
});
