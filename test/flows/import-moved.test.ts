import { describe, expect, it } from "vitest";
import { publicId, readId } from "../../src/core/ids";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { startImport } from "../../src/features/contacts/import/start";
import { importCsv, utf8 } from "../support/import";
import type { Death } from "../support/killable";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { newTopic, topicEvents } from "../support/topic";
import { World } from "../support/world";

const all = { takesAll: true };

const contactOf = async ({ api }: TestProject, name: string) =>
  (await api.get(`/contacts?email=${name}@example.com`)).body.data[0];

const topicsOf = async (project: TestProject, name: string) =>
  (await project.api.get(`/contacts/${(await contactOf(project, name)).id}/topics`)).body.topics;

describe("an import with all columns", () => {
  it("brings along since when somebody is a contact, where from, and what they said", async () => {
    const project = await newProject();
    const file = [
      "email,createdAt,confirmedAt,optedOutAt,source,plan,id",
      "in@example.com,2020-01-31T09:00:00Z,2020-02-01 10:00+02:00,,track,pro,x",
      "out@example.com,2019-05-01,,2021-03-04T05:06:07.008Z,PUBLIC,,",
      "bare@example.com,,,,,,",
    ].join("\n");
    const job = await importCsv(project, file, new World(), all);
    expect(job).toMatchObject({ status: "completed", imported: 3, skipped: 0, droppedColumns: ["id"] });
    expect(await contactOf(project, "in")).toMatchObject({
      subscribed: true,
      createdAt: "2020-01-31T09:00:00.000Z",
      confirmedAt: "2020-02-01T08:00:00.000Z",
      optedOutAt: null,
      source: "TRACK",
      data: { plan: "pro" },
    });
    expect(await contactOf(project, "out")).toMatchObject({
      subscribed: false,
      createdAt: "2019-05-01T00:00:00.000Z",
      confirmedAt: null,
      optedOutAt: "2021-03-04T05:06:07.008Z",
      source: "PUBLIC",
      data: {},
    });
    expect(await contactOf(project, "bare")).toMatchObject({ subscribed: true, source: "IMPORT", confirmedAt: null });
    // The list is by creation.
    const { data } = (await project.api.get("/contacts")).body;
    expect(data.map(({ email }: { email: string }) => email.split("@")[0])).toEqual(["bare", "in", "out"]);
    expect(await eventCounts(project)).toEqual({});
  });

  it("skips a row whose cell is no time, none of ours, or to come; no source; or no topic", async () => {
    const project = await newProject();
    await newTopic(project);
    const rows: [cell: string, reason: string | null][] = [
      ["yesterday,,", "invalid_time"],
      ["2020-13-01,,", "invalid_time"],
      ["1969-12-31,,", "invalid_time"],
      ["2999-01-01,,", "invalid_time"],
      [",shop,", "invalid_source"],
      [",,news|nope", "unknown_topic"],
      [",api,news", null],
    ];
    const file = rows.map(([cells], n) => `u${n}@example.com,${cells}`).join("\n");
    const job = await importCsv(project, `email,optedOutAt,source,topics\n${file}\n`, new World(), all);
    expect(job).toMatchObject({ imported: 1, skipped: 6 });
    expect(job.errors.map(({ reason }: { reason: string }) => reason)).toEqual(
      rows.flatMap(([, reason]) => reason ?? []),
    );
  });

  it("says no with optedOutAt whatever the column subscribed says, and leaves who says nothing as they are", async () => {
    const [project, world] = [await newProject(), new World()];
    for (const name of ["leaves", "stays"]) await project.api.post("/contacts", { email: `${name}@example.com` });
    await project.api.post("/contacts", { email: "gone@example.com", subscribed: false });
    const gone = await contactOf(project, "gone");
    const file =
      "email,optedOutAt,confirmedAt\nleaves@example.com,2021-01-01,\nstays@example.com,,2020-01-01\ngone@example.com,,\n";
    const job = await importCsv(project, file, world, all);
    expect(job).toMatchObject({ imported: 0, updated: 3 });
    const left = { subscribed: false, optedOutAt: "2021-01-01T00:00:00.000Z" };
    expect(await contactOf(project, "leaves")).toMatchObject(left);
    expect(await contactOf(project, "stays")).toMatchObject({
      subscribed: true,
      confirmedAt: "2020-01-01T00:00:00.000Z",
    });
    expect(await contactOf(project, "gone")).toEqual(gone);
    expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 1 });
    const both = "email,subscribed,optedOutAt\nnew@example.com,yes,2021-01-01\nback@example.com,yes,\n";
    await importCsv(project, both, world, { ...all, takesSubscribed: true });
    expect(await contactOf(project, "new")).toMatchObject(left);
    expect(await contactOf(project, "back")).toMatchObject({ subscribed: true, optedOutAt: null });
    // A contact that is here keeps what it is.
    const before = await contactOf(project, "stays");
    await importCsv(
      project,
      "email,createdAt,confirmedAt,source\nstays@example.com,2001-01-01,2001-01-01,TRACK\n",
      world,
      all,
    );
    expect(await contactOf(project, "stays")).toEqual(before);
  });

  it("keeps out who was erased after leaving", async () => {
    const [project, world] = [await newProject(), new World()];
    const { id } = (await project.api.post("/contacts", { email: "left@example.com", subscribed: false })).body;
    const { ctx } = await world.context(project);
    await startBulk(ctx, "delete", { contactIds: [readId(id)] });
    await world.drain();
    await importCsv(project, "email,createdAt\nleft@example.com,2020-01-01\n", world, all);
    expect(await contactOf(project, "left")).toMatchObject({ subscribed: false, optedOutAt: expect.any(String) });
  });

  it("puts contacts into the topics that a row names and out of the others, with an event for those who were here", async () => {
    const [project, world] = [await newProject(), new World()];
    for (const fields of [{ name: "News" }, { name: "Offers" }, { name: "Beta", defaultSubscribed: false }]) {
      await newTopic(project, fields);
    }
    await project.api.post("/contacts", { email: "here@example.com" });
    const file = "email,topics\nhere@example.com,news | beta\nnew@example.com,news|beta\nbare@example.com,\n";
    expect(await importCsv(project, file, world, all)).toMatchObject({ imported: 2, updated: 1, skipped: 0 });
    const chosen = { news: true, offers: false, beta: true };
    expect(await topicsOf(project, "here")).toEqual(chosen);
    expect(await topicsOf(project, "new")).toEqual(chosen);
    expect(await topicsOf(project, "bare")).toEqual({ news: true, offers: true, beta: false });
    expect((await topicEvents(project)).toSorted()).toEqual([
      ["joined", { topic: "beta" }],
      ["left", { topic: "offers" }],
    ]);
    await importCsv(project, file, world, all);
    expect(await topicEvents(project)).toHaveLength(2);
  });

  it("walks through nothing that the project has, and keeps to it", async () => {
    const [project, other, world] = [await newProject(), await newProject(), new World()];
    await newTopic(project);
    await newTopic(other);
    await other.api.post("/contacts", { email: "ada@example.com" });
    const before = [await contactOf(other, "ada"), await topicsOf(other, "ada")];
    const file = "email,createdAt,optedOutAt,topics\nada@example.com,2020-01-01,2021-01-01,news\nbob@example.com,,,\n";
    for (let time = 0; time < 2; time++) await importCsv(project, file, world, all);
    expect([await contactOf(other, "ada"), await topicsOf(other, "ada")]).toEqual(before);
    expect(await eventCounts(other)).toEqual({});
    await expectBounded(world.statements, [
      // The rows of a chunk, in the order of the file.
      { sql: /^INSERT INTO import_changes/, step: /^USE TEMP B-TREE FOR ORDER BY$/ },
      { sql: /NOT EXISTS \(SELECT 1 FROM erased_addresses WHERE project_id = \?\)/, step: /^SEARCH erased_addresses/ },
    ]);
  });
});

describe("killed in the middle, and repeated", () => {
  const deaths: Death[] = Array.from({ length: 12 }, (_, index) => index + 1).flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const))(
    "%s: every row and every choice counts once",
    async (_, death) => {
      const [project, world] = [await newProject(), new World()];
      await newTopic(project);
      // Two chunks: everybody is here, and half of them leave.
      const rowsWith = (cells: (n: number) => string) =>
        `email,optedOutAt,topics\n${Array.from({ length: 150 }, (_, n) => `u${n}@example.com,${cells(n)}`).join("\n")}\n`;
      await importCsv(
        project,
        rowsWith(() => ",news"),
        world,
        all,
      );
      await newTopic(project, { name: "Offers" });
      const { ctx } = await world.context(project);
      const jobId = publicId(await startImport(ctx, utf8(rowsWith((n) => (n % 2 ? "2021-01-01,news" : ",news"))), all));
      await world.runAndDie(death);
      await world.drain();
      expect((await project.api.get(`/contacts/import/${jobId}`)).body).toMatchObject({
        ...{ status: "completed", imported: 0, updated: 150 },
      });
      expect(await eventCounts(project)).toEqual({ "contact.unsubscribed": 75, "contact.topic_left": 150 });
    },
  );
});
