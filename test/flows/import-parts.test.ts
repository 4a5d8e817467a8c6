import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Id, publicId, readId } from "../../src/core/ids";
import { forgetOrphans } from "../../src/engine/mail/forget/orphans";
import { startUndo } from "../../src/features/contacts/import/undo/start";
import { beginUpload } from "../../src/features/contacts/imports/begin";
import { completeUpload } from "../../src/features/contacts/imports/complete";
import { utf8 } from "../support/import";
import { storeBytes, uploadInParts } from "../support/import-parts";
import type { Death } from "../support/killable";
import { newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

const hourMs = 3_600_000;

/** Rows with quoted line ends, characters of two to four bytes, and an address that comes twice. */
const head = "\ufeffemail,name,note\r\n";
const people = [
  'zoe@example.com,Zoë,"one\ntwo"',
  'ken@example.com,名前,"a ""quoted"", word"',
  "nope,x,y",
  "fam@example.com,👩‍👩‍👧,",
  'zoe@example.com,Zoé,"three\r\nfour"',
];
const tricky = utf8(`${head}${people.join("\r\n")}`);
const trickyResult = {
  ...{ status: "completed", progress: 100, totalRows: 5, imported: 3, updated: 1, skipped: 1 },
  errors: [{ row: 4, email: "nope", reason: "invalid_email" }],
};
const trickyData = {
  "fam@example.com": { name: "👩‍👩‍👧" },
  "ken@example.com": { name: "名前", note: 'a "quoted", word' },
  "zoe@example.com": { name: "Zoé", note: "three\r\nfour" },
};

async function dataOf({ db, id }: TestProject) {
  const { results } = await db
    .prepare("SELECT email, data FROM contacts WHERE project_id = ? ORDER BY email")
    .bind(id)
    .all<{ email: string; data: string }>();
  return Object.fromEntries(results.map(({ email, data }) => [email, JSON.parse(data)]));
}

const filesOf = async ({ id }: TestProject) =>
  (await env.BLOBS.list({ prefix: `import/${id}/` })).objects.map(({ key }) => key);

async function complete(world: World, project: TestProject, id: Id): Promise<Id> {
  const { ctx } = await world.context(project);
  return completeUpload(ctx, id, {});
}

const jobOf = async (project: TestProject, id: Id) => (await project.api.get(`/contacts/import/${publicId(id)}`)).body;

async function imported(world: World, project: TestProject, file: Uint8Array<ArrayBuffer>, partBytes: number) {
  const id = await uploadInParts(world, project, file, partBytes);
  await complete(world, project, id);
  await world.drain();
  return jobOf(project, id);
}

describe("a file in parts", () => {
  // Each size puts the ends of parts elsewhere: into characters, quotes, line ends and the header.
  const sizes = Array.from({ length: tricky.byteLength }, (_, index) => index + 1).filter(
    (size) => size > 2 && (size < 12 || size % 9 < 2),
  );

  it.each(sizes)("of %i bytes is imported as if it were whole", async (partBytes) => {
    const [project, world] = [await newProject(), new World()];
    expect(await imported(world, project, tricky, partBytes)).toMatchObject(trickyResult);
    expect(await dataOf(project)).toEqual(trickyData);
    expect(await filesOf(project)).toEqual([]);
  });

  it("imports nothing when its last part is not UTF-8", async () => {
    const [project, world] = [await newProject(), new World()];
    const bytes = Uint8Array.from([...utf8("email\nada@example.com\nbob@example.com\n"), 0xff]);
    expect(await imported(world, project, bytes, 10)).toMatchObject({
      ...{ status: "failed", imported: 0, updated: 0, totalRows: 0 },
      reason: "The file is not UTF-8 text. Save it as CSV in UTF-8 and upload it again.",
    });
    expect([await dataOf(project), await filesOf(project)]).toEqual([{}, []]);
  });

  it("is undone like any other", async () => {
    const [project, world] = [await newProject(), new World()];
    await project.api.post("/contacts", { email: "ken@example.com", data: { name: "Ken" } });
    const { jobId } = await imported(world, project, tricky, 11);
    const { ctx } = await world.context(project);
    const undoing = publicId(await startUndo(ctx, readId(jobId)));
    await world.drain();
    expect((await project.api.get(`/jobs/${undoing}`)).body.result).toEqual({ removed: 2, restored: 1, kept: 0 });
    expect(await dataOf(project)).toEqual({ "ken@example.com": { name: "Ken" } });
  });
});

/** Over four megabytes, which are two windows of the text; and the last part is a small one. */
function largeFile() {
  const filler = "x".repeat(25_000);
  const rows = Array.from({ length: 180 }, (_, n) => `u${n}@example.com,${n},"${filler}\n${n % 7 === 0 ? "é" : "e"}"`);
  return utf8(`email,n,note\n${rows.join("\n")}\nu5@example.com,6\nnope,1\n`);
}

describe("an import in parts killed at any step", () => {
  const deaths: Death[] = [1, 2, 3, 4, 5, 6, 7, 8, 15, 22, 29, 36].flatMap((atStep) => [
    ...(atStep % 2 === 0 ? [{ atStep, when: "before" as const }] : []),
    { atStep, when: "after" },
  ]);

  it.each(deaths)("$when step $atStep: every row counts once", async (death) => {
    const [project, world] = [await newProject(), new World()];
    const id = await uploadInParts(world, project, largeFile(), 2_000_000);
    await complete(world, project, id);
    await world.runAndDie(death);
    await world.drain();
    expect(await jobOf(project, id)).toMatchObject({
      ...{ status: "completed", progress: 100, totalRows: 182, imported: 180, updated: 1, skipped: 1 },
      errors: [{ row: 183, email: "nope", reason: "invalid_email" }],
    });
    const counts = await project.db
      .prepare(
        `SELECT count(*) AS contacts, sum(data->>'n') AS n, max(version) AS version,
        sum(length(data->>'note')) AS notes FROM contacts WHERE project_id = ?`,
      )
      .bind(project.id)
      .first();
    expect(counts).toEqual({ contacts: 180, n: (179 * 180) / 2 + 1, version: 2, notes: 180 * 25_002 });
    expect(await filesOf(project)).toEqual([]);
  });
});

describe("an upload", () => {
  const file = utf8("email\nada@example.com\nbob@example.com\n");

  it("begins one import when it is completed several times at once", async () => {
    const [project, world] = [await newProject(), new World()];
    const id = await uploadInParts(world, project, file, 20);
    const ids = await Promise.all(Array.from({ length: 4 }, () => complete(world, project, id)));
    expect(new Set(ids)).toEqual(new Set([id]));
    await world.drain();
    expect(await jobOf(project, id)).toMatchObject({ status: "completed", imported: 2, updated: 0 });
    expect(await complete(world, project, id)).toBe(id);
    await world.drain();
    expect(await jobOf(project, id)).toMatchObject({ imported: 2, updated: 0 });
  });

  it("begins its import although the message was lost", async () => {
    const [project, world] = [await newProject(), new World()];
    const id = await uploadInParts(world, project, file, 20);
    await complete(world, project, id);
    world.queue = [];
    await world.pass(1);
    expect(await jobOf(project, id)).toMatchObject({ status: "completed", imported: 2 });
  });

  it("takes a part again, whose last content counts", async () => {
    const [project, world] = [await newProject(), new World()];
    const id = await uploadInParts(world, project, utf8("email\neve@example.com\nbob@example.com\n"), 20);
    await storeBytes(world, project, id, 1, file.subarray(0, 20));
    await complete(world, project, id);
    await world.drain();
    expect(Object.keys(await dataOf(project))).toEqual(["ada@example.com", "bob@example.com"]);
  });

  it("fails when another content arrives after it was completed, and takes the same content", async () => {
    const [project, world] = [await newProject(), new World()];
    const key = (id: Id) => `import/${project.id}/${String(id)}/00002`;
    for (const [content, status] of [
      [file.subarray(20), "completed"],
      [utf8("eve@example.com\n"), "failed"],
    ] as const) {
      const id = await uploadInParts(world, project, file, 20);
      await complete(world, project, id);
      // A call that had begun before.
      await env.BLOBS.put(key(id), content);
      await world.drain();
      const job = await jobOf(project, id);
      expect(job.status).toBe(status);
      if (status === "failed") expect(job.reason).toMatch(/^Part 2 of the file .* Upload the file again\.$/);
    }
  });

  it("is deleted a day after its start unless it is complete, and waits until then through a restart", async () => {
    const [project, world] = [await newProject(), new World()];
    const id = await uploadInParts(world, project, file, 20);
    await world.sweep("start");
    await world.drain();
    expect((await project.api.get(`/jobs/${publicId(id)}`)).body.status).toBe("queued");
    expect(await filesOf(project)).toHaveLength(2);
    world.now += 23 * hourMs;
    await world.sweep("* * * * *");
    await world.drain();
    expect(await filesOf(project)).toHaveLength(2);
    world.now += 2 * hourMs;
    await world.sweep("* * * * *");
    await world.drain();
    expect((await project.api.get(`/jobs/${publicId(id)}`)).status).toBe(404);
    expect(await filesOf(project)).toEqual([]);
  });

  it("leaves nothing behind when the process dies while it is deleted", async () => {
    const [project, world] = [await newProject(), new World()];
    const { ctx } = await world.context(project);
    const { row } = await beginUpload(ctx, { bytes: file.byteLength }, 20);
    await storeBytes(world, project, row.id, 1, file.subarray(0, 20));
    await project.api.delete(`/contacts/imports/${publicId(row.id)}`);
    // A part whose call was under way.
    await env.BLOBS.put(`import/${project.id}/${String(row.id)}/00002`, "x");
    world.now += 25 * hourMs;
    await forgetOrphans(world.process().platform);
    expect(await filesOf(project)).toEqual([]);
  });
});
