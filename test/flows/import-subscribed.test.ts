import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { startImport } from "../../src/features/contacts/import/start";
import { importCsv, utf8 } from "../support/import";
import type { Death } from "../support/killable";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

const column = { takesSubscribed: true };
const dayMs = 24 * 60 * 60 * 1000;

/** What is known of each contact's subscription, by the name in its address. */
async function subscriptions(project: TestProject) {
  const { results } = await project.db
    .prepare("SELECT * FROM contacts WHERE project_id = ? ORDER BY email")
    .bind(project.id)
    .all<{ email: string; subscribed: number; opted_out_at: number | null; opted_out_by: string | null }>();
  return Object.fromEntries(
    results.map((row) => [row.email.split("@")[0], [row.subscribed, row.opted_out_at, row.opted_out_by]]),
  );
}

const rowsOf = (...rows: [name: string, subscribed: string][]) =>
  `email,subscribed\n${rows.map(([name, subscribed]) => `${name}@example.com,${subscribed}\n`).join("")}`;

describe("an import that takes the column subscribed", () => {
  it("makes contacts as it says: a no is an opt-out, and creating records no event", async () => {
    const [project, world] = [await newProject(), new World()];
    const yes = ["true", "TRUE", "yes", "Yes", "1", " 1 "].map((cell, n): [string, string] => [`in${n}`, cell]);
    const no = ["false", "False", "no", "NO", "0"].map((cell, n): [string, string] => [`out${n}`, cell]);
    const job = await importCsv(project, rowsOf(...yes, ...no), world, column);
    expect(job).toMatchObject({ status: "completed", imported: 11, skipped: 0, droppedColumns: [] });
    const found = await subscriptions(project);
    for (const [name] of yes) expect(found[name]).toEqual([1, null, null]);
    for (const [name] of no) expect(found[name]).toEqual([0, world.now, "API"]);
    expect((await project.api.get("/contacts?limit=1")).body.data[0].data).toEqual({});
    expect(await eventCounts(project)).toEqual({});
  });

  it("skips a row that says neither yes nor no, and leaves its contact as it is", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: false });
    const before = await subscriptions(project);
    const cells = ["", "maybe", "2", "01", "on", "null"];
    const file = `email,subscribed,n\n${cells.map((cell) => `ada@example.com,${cell},1`).join("\n")}\nbob@example.com\n`;
    const job = await importCsv(project, file, new World(), column);
    expect(job).toMatchObject({ imported: 0, updated: 0, skipped: 7 });
    expect(job.errors.slice(0, 2)).toEqual([
      { row: 2, email: "ada@example.com", reason: "invalid_subscribed" },
      { row: 3, email: "ada@example.com", reason: "invalid_subscribed" },
    ]);
    expect(job.errors.at(-1)).toEqual({ row: 8, email: "bob@example.com", reason: "invalid_subscribed" });
    expect(await subscriptions(project)).toEqual(before);
  });

  it("changes those who are there, with one event for each flip and none otherwise", async () => {
    const [project, world] = [await newProject(), new World()];
    const { api } = project;
    for (const name of ["stays", "leaves", "lasts"]) await api.post("/contacts", { email: `${name}@example.com` });
    for (const name of ["comes", "gone"])
      await api.post("/contacts", { email: `${name}@example.com`, subscribed: false });
    const before = await subscriptions(project);
    world.now += dayMs;
    const file = rowsOf(
      ["stays", "true"],
      ["leaves", "false"],
      ["comes", "1"],
      ["gone", "0"],
      ["lasts", "no"],
      ["lasts", "yes"],
    );
    expect(await importCsv(project, file, world, column)).toMatchObject({ imported: 0, updated: 6 });
    expect(await subscriptions(project)).toEqual({
      stays: [1, null, null],
      leaves: [0, world.now, "API"],
      comes: [1, null, null],
      gone: before.gone,
      lasts: [1, null, null],
    });
    expect(await eventCounts(project)).toEqual({ "contact.subscribed": 1, "contact.unsubscribed": 1 });
    await importCsv(project, file, world, column);
    expect(await eventCounts(project)).toEqual({ "contact.subscribed": 1, "contact.unsubscribed": 1 });
  });

  it("is an explicit word of a secret key: it lifts an opt-out of the person's own, ends a pause, and counts a no", async () => {
    const [project, world] = [await newProject(), new World()];
    for (const name of ["person", "never", "paused"]) {
      const { id } = (await project.api.post("/contacts", { email: `${name}@example.com` })).body;
      if (name === "paused") await project.api.post(`/contacts/${id}/snooze`, { duration: "14d" });
    }
    const set = (name: string, sets: string) =>
      project.db
        .prepare(`UPDATE contacts SET ${sets} WHERE project_id = ? AND email = ?`)
        .bind(project.id, `${name}@example.com`)
        .run();
    await set("person", "subscribed = false, opted_out_at = 1, opted_out_by = 'PERSON'");
    // As /v1/send makes one: not subscribed, and never asked.
    await set("never", "subscribed = false");
    await project.db
      .prepare("UPDATE project_counts SET subscribed = subscribed - 2 WHERE project_id = ?")
      .bind(project.id)
      .run();
    const file = rowsOf(["person", "yes"], ["never", "no"], ["paused", "yes"]);
    await importCsv(project, file, world, column);
    expect(await subscriptions(project)).toEqual({
      never: [0, world.now, "API"],
      paused: [1, null, null],
      person: [1, null, null],
    });
    const snoozed = await project.db.prepare(
      "SELECT count(*) AS n FROM contacts WHERE project_id = ? AND snoozed_until IS NOT NULL",
    );
    expect(await snoozed.bind(project.id).first("n")).toBe(0);
    expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 1, "contact.subscribed": 2 });
  });

  it("keeps out who was erased after leaving, unless it says yes; and a suppression in any case", async () => {
    const [project, world] = [await newProject(), new World()];
    const ids = [];
    for (const name of ["left", "back"]) {
      const email = `${name}@example.com`;
      ids.push(readId((await project.api.post("/contacts", { email, subscribed: false })).body.id));
      await project.api.post("/suppressions", { email });
    }
    const { ctx } = await world.context(project);
    await startBulk(ctx, "delete", { contactIds: ids });
    await world.drain();
    await importCsv(project, rowsOf(["left", "no"], ["back", "yes"]), world, column);
    expect(await subscriptions(project)).toMatchObject({
      left: [0, expect.any(Number), "PERSON"],
      back: [1, null, null],
    });
    expect((await project.api.get("/suppressions")).body.total).toBe(2);
  });

  it("takes the column in any case of its name, and fails where there is none or two", async () => {
    const project = await newProject();
    const importing = (header: string) =>
      importCsv(project, `${header}\nada@example.com,no,yes\n`, new World(), column);
    expect(await importing("email,Subscribed,n")).toMatchObject({ status: "completed", droppedColumns: [] });
    expect(await subscriptions(project)).toMatchObject({ ada: [0, expect.any(Number), "API"] });
    expect(await importing("email,n,m")).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/no column named subscribed/),
    });
    expect(await importing("email,subscribed,Subscribed")).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/Two columns are named subscribed/),
    });
  });

  it("walks through nothing that the project has", async () => {
    const [project, world] = [await newProject(), new World()];
    await importCsv(project, rowsOf(["ada", "yes"], ["bob", "no"]), world, column);
    await importCsv(project, rowsOf(["ada", "no"], ["bob", "yes"]), world, column);
    await expectBounded(world.statements, [
      // The rows of a chunk, in the order of the file.
      { sql: /^INSERT INTO import_changes/, step: /^USE TEMP B-TREE FOR ORDER BY$/ },
      { sql: /NOT EXISTS \(SELECT 1 FROM erased_addresses WHERE project_id = \?\)/, step: /^SEARCH erased_addresses/ },
    ]);
  });

  it("keeps to its project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    await other.api.post("/contacts", { email: "ada@example.com" });
    const before = await subscriptions(other);
    await importCsv(project, rowsOf(["ada", "no"]), new World(), column);
    expect(await subscriptions(other)).toEqual(before);
    expect(await eventCounts(other)).toEqual({});
  });
});

describe("killed in the middle, and repeated", () => {
  // Two chunks: everybody who is there flips, half of them each way.
  const names = Array.from({ length: 150 }, (_, n) => `u${n}`);
  const isIn = (n: number) => n % 2 === 0;
  const deaths: Death[] = Array.from({ length: 11 }, (_, index) => index + 1).flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const))(
    "%s: one event for each flip",
    async (_, death) => {
      const [project, world] = [await newProject(), new World()];
      await importCsv(
        project,
        rowsOf(...names.map((name, n): [string, string] => [name, isIn(n) ? "yes" : "no"])),
        world,
        column,
      );
      const { ctx } = await world.context(project);
      const flipped = rowsOf(...names.map((name, n): [string, string] => [name, isIn(n) ? "no" : "yes"]));
      const jobId = publicId(await startImport(ctx, utf8(flipped), column));
      await world.runAndDie(death);
      await world.drain();
      expect((await project.api.get(`/contacts/import/${jobId}`)).body).toMatchObject({
        status: "completed",
        updated: 150,
      });
      const { results } = await project.db
        .prepare(
          "SELECT count(*) AS n, count(DISTINCT contact_id) AS contacts, name FROM events WHERE project_id = ? GROUP BY name ORDER BY name",
        )
        .bind(project.id)
        .all();
      expect(results).toEqual([
        { n: 75, contacts: 75, name: "contact.subscribed" },
        { n: 75, contacts: 75, name: "contact.unsubscribed" },
      ]);
      const found = await subscriptions(project);
      expect(names.every((name, n) => found[name]?.[0] === (isIn(n) ? 0 : 1))).toBe(true);
    },
  );
});
