import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { maxCsvBytes } from "../../src/core/contacts/csv";
import { readId } from "../../src/core/ids";
import { startBulk } from "../../src/features/contacts/bulk/start";
import { formWith, importCsv, postImport, utf8 } from "../support/import";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime, uuid } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { World } from "../support/world";

const someJob = "0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d";

async function traces(project: TestProject) {
  const jobs = await project.db
    .prepare("SELECT count(*) AS n FROM jobs WHERE project_id = ?")
    .bind(project.id)
    .first("n");
  const files = await env.BLOBS.list({ prefix: `import/${project.id}/` });
  return { jobs, files: files.objects.length };
}

/** The contacts of a project by address. */
async function contactsOf(project: TestProject) {
  const { results } = await project.db
    .prepare("SELECT * FROM contacts WHERE project_id = ? ORDER BY email")
    .bind(project.id)
    .all<{ id: string; email: string; subscribed: number; data: string; opted_out_at: number | null }>();
  return results.map((row) => ({ ...row, data: JSON.parse(row.data) }));
}

const dataOf = async (project: TestProject) =>
  Object.fromEntries((await contactsOf(project)).map(({ email, data }) => [email, data]));

describe("POST /contacts/import", () => {
  it("takes a file, and imports it in the background", async () => {
    const project = await newProject();
    const started = await postImport(project, formWith("email,firstName\nada@example.com,Ada\nnope,Bob\n"));
    expect([started.status, started.body]).toEqual([202, { jobId: expect.stringMatching(uuid), status: "queued" }]);
    const { jobId } = started.body;
    const done = await vi.waitFor(async () => {
      const answer = await project.api.get(`/contacts/import/${jobId}`);
      expect(answer.body.status).toBe("completed");
      return answer;
    }, 10_000);
    expect([done.status, done.body]).toEqual([
      200,
      {
        jobId,
        status: "completed",
        progress: 100,
        totalRows: 2,
        imported: 1,
        updated: 0,
        skipped: 1,
        droppedColumns: [],
        errors: [{ row: 3, email: "nope", reason: "invalid_email" }],
        undoableUntil: expect.stringMatching(isoTime),
        createdAt: expect.stringMatching(isoTime),
        completedAt: expect.stringMatching(isoTime),
      },
    ]);
    expect((await project.api.get(`/jobs/${jobId}`)).body).toMatchObject({
      type: "contacts.import",
      status: "completed",
      result: { totalRows: 2, imported: 1, updated: 0, skipped: 1, droppedColumns: [] },
    });
    expect(await dataOf(project)).toEqual({ "ada@example.com": { firstName: "Ada" } });
    expect(await traces(project)).toEqual({ jobs: 1, files: 0 });
  });

  it("tells of a job that nobody has worked on yet", async () => {
    const project = await newProject();
    await project.db
      .prepare(
        "INSERT INTO jobs (id, project_id, type, status, state, errors, created_at) VALUES (?, ?, 'contacts.import', 'queued', ?, '[]', 0)",
      )
      .bind(someJob, project.id, JSON.stringify({ phase: "uploaded" }))
      .run();
    expect((await project.api.get(`/contacts/import/${someJob}`)).body).toEqual({
      jobId: someJob,
      status: "queued",
      progress: 0,
      totalRows: 0,
      imported: 0,
      updated: 0,
      skipped: 0,
      droppedColumns: [],
      errors: [],
      undoableUntil: null,
      createdAt: "1970-01-01T00:00:00.000Z",
      completedAt: null,
    });
  });

  it("takes a file of 5 MB, and refuses one of a byte more", async () => {
    const project = await newProject();
    const file = new Uint8Array(maxCsvBytes).fill(0x20);
    file.set(utf8("email\n"));
    expect((await postImport(project, formWith(file))).status).toBe(202);
    const before = await traces(project);
    const larger = new Uint8Array(maxCsvBytes + 1).fill(0x20);
    expectRefusal(await postImport(project, formWith(larger)), 413, "PAYLOAD_TOO_LARGE", {
      details: { maxBytes: maxCsvBytes },
    });
    const far = new Uint8Array(maxCsvBytes + 100_000);
    expectRefusal(await postImport(project, formWith(far)), 413, "PAYLOAD_TOO_LARGE", { details: expect.anything() });
    expect((await traces(project)).jobs).toBe(before.jobs);
  });

  it.each<[what: string, form: () => FormData, code: string]>([
    ["no field", () => new FormData(), "required"],
    ["the file in another field", () => rename(formWith("email\n")), "required"],
    ["a text instead of a file", () => withText(new FormData()), "invalid_type"],
    ["two files", () => twice(formWith("email\n")), "invalid_type"],
    ["a file and a text", () => withText(formWith("email\n")), "invalid_type"],
  ])("refuses %s", async (_, form, code) => {
    const project = await newProject();
    expectInvalid(await postImport(project, form()), "file", code);
    expect(await traces(project)).toEqual({ jobs: 0, files: 0 });
  });

  const boundary = { "Content-Type": "multipart/form-data; boundary=x" };
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\r\n';

  it.each<[what: string, body: string, headers: Record<string, string>]>([
    ["JSON", "{}", { "Content-Type": "application/json" }],
    ["the file alone", "email\nada@example.com\n", { "Content-Type": "text/csv" }],
    ["a urlencoded form", "file=email", { "Content-Type": "application/x-www-form-urlencoded" }],
    ["no body", "", {}],
    ["multipart of no boundary", part, { "Content-Type": "multipart/form-data" }],
    ["multipart with another boundary", part, { "Content-Type": "multipart/form-data; boundary=y" }],
    ["multipart that is cut off", part, boundary],
    ["an empty multipart body", "", boundary],
  ])("refuses %s as what cannot be read", async (_, body, headers) => {
    const project = await newProject();
    const answer = await postImport(project, body, headers);
    expectRefusal(answer, 400, "BAD_REQUEST");
    expect(answer.body.error.suggestion).toContain("curl -F file=@contacts.csv");
    expect(await traces(project)).toEqual({ jobs: 0, files: 0 });
  });

  it("takes a form that is written by hand", async () => {
    const project = await newProject();
    expect((await postImport(project, `${part}--x--\r\n`, boundary)).status).toBe(202);
  });

  it.each([
    ["a field it does not know", { delimiter: ";" }, "delimiter", /takes file, subscribed, columns and mapping/],
    ["another value of subscribed", { subscribed: "true" }, "subscribed", /Must be "column"/],
    ["an empty subscribed", { subscribed: "" }, "subscribed", /Must be "column"/],
  ])("refuses %s, and says what it knows", async (_, fields, field, message) => {
    const project = await newProject();
    const { status, body } = await postImport(project, formWith("email\nada@example.com\n", fields));
    expect([status, body.error.errors]).toEqual([
      422,
      [expect.objectContaining({ field, message: expect.stringMatching(message) })],
    ]);
    expect(await traces(project)).toEqual({ jobs: 0, files: 0 });
  });

  it("refuses subscribed twice", async () => {
    const project = await newProject();
    const form = formWith("email\nada@example.com\n", { subscribed: "column" });
    form.append("subscribed", "column");
    expectInvalid(await postImport(project, form), "subscribed", "invalid_enum_value");
    expect(await traces(project)).toEqual({ jobs: 0, files: 0 });
  });

  it.each([
    ["columns", { columns: "some" }, "columns"],
    ["subscribed", { subscribed: "yes" }, "subscribed"],
  ])("refuses another word in %s", async (_, fields, field) => {
    const project = await newProject();
    const { status, body } = await postImport(project, formWith("email\nada@example.com\n", fields));
    expect([status, body.error.errors[0].field]).toEqual([422, field]);
    expect(await traces(project)).toEqual({ jobs: 0, files: 0 });
  });

  it("takes all columns when the form says so", async () => {
    const project = await newProject();
    const form = formWith("email,createdAt\nada@example.com,2020-01-31\n", { columns: "all" });
    const { jobId } = (await postImport(project, form)).body;
    await vi.waitFor(async () => {
      expect((await project.api.get(`/contacts/import/${jobId}`)).body.status).toBe("completed");
    }, 10_000);
    const { data } = (await project.api.get("/contacts")).body;
    expect(data).toMatchObject([{ email: "ada@example.com", createdAt: "2020-01-31T00:00:00.000Z", data: {} }]);
  });

  it("takes the column subscribed when the form says so", async () => {
    const project = await newProject();
    const form = formWith("email,subscribed\nada@example.com,no\n", { subscribed: "column" });
    const { jobId } = (await postImport(project, form)).body;
    await vi.waitFor(async () => {
      expect((await project.api.get(`/contacts/import/${jobId}`)).body.status).toBe("completed");
    }, 10_000);
    expect(await contactsOf(project)).toMatchObject([{ email: "ada@example.com", subscribed: 0, data: {} }]);
  });
});

function rename(form: FormData): FormData {
  const renamed = new FormData();
  renamed.append("csv", form.get("file") as unknown as Blob);
  return renamed;
}

function withText(form: FormData): FormData {
  form.append("file", "email\nada@example.com\n");
  return form;
}

function twice(form: FormData): FormData {
  form.append("file", new File(["email\n"], "again.csv"));
  return form;
}

describe("GET /contacts/import/{jobId}", () => {
  it("is 404 for a job that is not there, another project's, or of another type", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { jobId } = (await postImport(other, formWith("email\n"))).body;
    await project.db
      .prepare(
        "INSERT INTO jobs (id, project_id, type, status, errors, created_at) VALUES (?, ?, 'contacts.bulk', 'completed', '[]', 0)",
      )
      .bind(someJob, project.id)
      .run();
    for (const id of ["nope", jobId, someJob]) {
      expectRefusal(await project.api.get(`/contacts/import/${id}`), 404, "RESOURCE_NOT_FOUND", {
        details: { resource: "job", id },
      });
    }
  });
});

describe("an import of people who said no elsewhere, without a word on the column", () => {
  const file = "email,subscribed\nada@example.com,no\nbob@example.com,FALSE\neve@example.com,yes\nnope,no\n";

  it("subscribes them, says how many rows that were, and what to do", async () => {
    const project = await newProject();
    const job = await importCsv(project, file);
    expect(job).toMatchObject({ status: "completed", imported: 3, skipped: 1, droppedColumns: ["subscribed"] });
    expect(job.warnings).toEqual([
      { field: "subscribed", message: expect.stringMatching(/^2 rows say no .*subscribed=column.*bulk-unsubscribe/) },
    ]);
    expect((await contactsOf(project)).map(({ subscribed }) => subscribed)).toEqual([1, 1, 1]);
  });

  it("drops the column in any case of letters, as it is the one that subscribed=column takes", async () => {
    const project = await newProject();
    const job = await importCsv(project, "Email,Subscribed,Plan\nada@example.com,no,pro\n");
    expect(job).toMatchObject({ imported: 1, droppedColumns: ["Subscribed"], warnings: [{ field: "subscribed" }] });
    const [contact] = (await project.api.get("/contacts?email=ada@example.com")).body.data;
    expect([contact.subscribed, contact.data]).toEqual([true, { Plan: "pro" }]);
  });

  it("counts apart what is neither yes nor no, and leaves out what is empty", async () => {
    const project = await newProject();
    const cells = ["Nein", "unsubscribed", "f", "cleaned", "0", "", "yes", "1"];
    const job = await importCsv(
      project,
      `email,subscribed\n${cells.map((cell, n) => `u${n}@example.com,${cell}`).join("\n")}`,
    );
    expect(job.warnings).toEqual([
      { field: "subscribed", message: expect.stringMatching(/^1 row says no /) },
      {
        field: "subscribed",
        message: expect.stringMatching(/^4 rows have a value that is neither yes nor no .*subscribed=column/),
      },
    ]);
  });

  it.each([
    ["unsubscribed", ["yes", "true", "2025-01-31", "no", "false", "0", ""], 3],
    ["opted_out", ["1", "no"], 1],
    ["optedOut", ["TRUE", "FALSE"], 1],
    ["optedOutAt", ["2025-01-31T10:00:00Z", ""], 1],
    ["unsubscribed_at", ["2025-01-31 10:00", ""], 1],
    ["UNSUB_TIME", ["2025-01-31 10:00", ""], 1],
    ["Status", ["Unsubscribed", "cleaned", "opted-out", "subscribed", "active", ""], 3],
  ])("counts the opt-outs of a column %s that is imported as data", async (column, cells, count) => {
    const project = await newProject();
    const rows = cells.map((cell, n) => `u${n}@example.com,${cell}`);
    const job = await importCsv(project, `email,${column}\n${rows.join("\n")}`);
    const [seem, is] = count === 1 ? ["row seems", "1"] : ["rows seem", `${count}`];
    expect(job.warnings).toEqual([
      {
        field: column,
        message: expect.stringMatching(
          `^${is} ${seem} to be opted out according to the column ${column},.*subscribed=column.*optedOutAt`,
        ),
      },
    ]);
  });

  it("says nothing of such columns where nobody left, or the file itself says who is subscribed", async () => {
    const [project, world] = [await newProject(), new World()];
    const quiet = "email,unsubscribed,status\nada@example.com,no,paid\nbob@example.com,,\n";
    expect(await importCsv(project, quiet)).not.toHaveProperty("warnings");
    const taken = "email,subscribed,unsubscribed_at\nada@example.com,no,2025-01-31\nbob@example.com,yes,2024-01-31\n";
    expect(await importCsv(project, taken, world, { takesSubscribed: true })).not.toHaveProperty("warnings");
    const moved = "email,optedOutAt,status\nada@example.com,2025-01-31,unsubscribed\n";
    expect(await importCsv(project, moved, world, { takesAll: true })).not.toHaveProperty("warnings");
  });

  it("has the same warnings in GET /jobs/{id}, across chunks", async () => {
    const project = await newProject();
    const rows = Array.from({ length: 150 }, (_, n) => `u${n}@example.com,${["no", "left"][n % 2]},yes`);
    const job = await importCsv(project, `email,subscribed,opted_out\n${rows.join("\n")}`);
    expect(job.warnings.map(({ message }: { message: string }) => message.slice(0, 8))).toEqual([
      ...["75 rows ", "75 rows ", "150 rows"],
    ]);
    expect((await project.api.get(`/jobs/${job.jobId}`)).body.warnings).toEqual(job.warnings);
  });

  it("says nothing where nobody said no, or the column is taken; and the second import takes them off", async () => {
    const project = await newProject();
    expect(await importCsv(project, "email,subscribed\nada@example.com,yes\n")).not.toHaveProperty("warnings");
    await importCsv(project, file);
    expect(await importCsv(project, file, new World(), { takesSubscribed: true })).not.toHaveProperty("warnings");
    expect((await contactsOf(project)).map(({ subscribed }) => subscribed)).toEqual([0, 0, 1]);
  });
});

describe("an import", () => {
  it("creates contacts subscribed, and merges into those that are there", async () => {
    const project = await newProject();
    const stored = { plan: "free", profile: { a: 1, b: null }, list: [null], note: 'a"b\\c\n\u2028é🎉', n: 1.5 };
    await project.api.post("/contacts", { email: "ada@example.com", data: stored });
    await project.api.post("/contacts", { email: "bob@example.com", subscribed: false });
    const [before] = await contactsOf(project);
    const job = await importCsv(
      project,
      'Email,plan,seats,active,"a""b",__proto__,id\n' +
        "ADA@example.com,pro,3,yes,x,y,1\nbob@example.com,,,,,,\ncyd@example.com,pro,007,no,,,\n",
    );
    expect(job).toMatchObject({ status: "completed", totalRows: 3, imported: 1, updated: 2, skipped: 0, errors: [] });
    const [ada, bob, cyd] = await contactsOf(project);
    const proto = JSON.parse('{"__proto__":"y"}');
    expect(ada?.data).toEqual({ ...stored, plan: "pro", seats: 3, active: true, 'a"b': "x", ...proto });
    expect([ada?.id, ada?.subscribed]).toEqual([before?.id, 1]);
    expect([bob?.subscribed, bob?.data]).toEqual([0, {}]);
    expect([cyd?.subscribed, cyd?.opted_out_at, cyd?.data]).toEqual([
      1,
      null,
      { plan: "pro", seats: "007", active: false },
    ]);
    expect(await eventCounts(project)).toEqual({});
  });

  it("replaces whole keys, and none but those it names", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", data: { a: { b: { c: 1 } }, keep: { x: null } } });
    await importCsv(project, "email,a\nada@example.com,flat\n");
    expect(await dataOf(project)).toEqual({ "ada@example.com": { a: "flat", keep: { x: null } } });
  });

  it("leaves a contact as it is when the row says nothing of it", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } });
    const before = await contactsOf(project);
    expect(await importCsv(project, "email,plan\nada@example.com,\n")).toMatchObject({ imported: 0, updated: 1 });
    expect(await contactsOf(project)).toEqual(before);
  });

  it("fixes the type of a new key by its first value, and leaves those that are known", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", data: { known: "text" } });
    const rows = ["a@example.com,1,2026-01-31,,yes,no,x", "b@example.com,2,x,3.5,nope,en,y", "nope,,,,,,,"];
    await importCsv(project, `email,known,day,n,flag,locale,id\n${rows.join("\n")}\n`);
    const { results } = await project.db
      .prepare("SELECT key, type FROM contact_fields WHERE project_id = ? ORDER BY key")
      .bind(project.id)
      .all();
    expect(results).toEqual([
      { key: "day", type: "date" },
      { key: "flag", type: "boolean" },
      { key: "known", type: "string" },
      { key: "locale", type: "string" },
      { key: "n", type: "number" },
    ]);
  });

  it("lays a later row over an earlier one with the same address, also in another chunk", async () => {
    const project = await newProject();
    const others = Array.from({ length: 1_500 }, (_, n) => `u${n}@example.com,x,`);
    const file = ["email,a,b", "ada@example.com,1,1", "ADA@example.com ,2,", ...others, "ada@example.com,,3", ""].join(
      "\n",
    );
    expect(await importCsv(project, file)).toMatchObject({ totalRows: 1_503, imported: 1_501, updated: 2, skipped: 0 });
    expect((await dataOf(project))["ada@example.com"]).toEqual({ a: 2, b: 3 });
    expect((await contactsOf(project)).length).toBe(1_501);
    expect(
      await project.db
        .prepare("SELECT contacts FROM project_counts WHERE project_id = ?")
        .bind(project.id)
        .first("contacts"),
    ).toBe(1_501);
  });

  it("skips a row whose data would not fit, and imports the others of its chunk", async () => {
    const project = await newProject();
    const big = "x".repeat(40_000);
    await project.api.post("/contacts", { email: "full@example.com", data: { stored: big } });
    const rows = [
      "a@example.com,1,,", //             goes in
      `full@example.com,2,${big},`, //    does not fit over what is stored
      "full@example.com,3,,", //          fits
      `b@example.com,1,${big},`, //       goes in
      `b@example.com,2,,${big}`, //       does not fit over the row before
      `c@example.com,1,${"é".repeat(32_768)},`, // fits nobody
      "d@example.com,1,,",
    ];
    const job = await importCsv(project, `email,n,x,y\n${rows.join("\n")}\n`);
    expect(job).toMatchObject({
      status: "completed",
      totalRows: 7,
      imported: 3,
      updated: 1,
      skipped: 3,
      errors: [
        { row: 3, email: "full@example.com", reason: "data_too_large" },
        { row: 6, email: "b@example.com", reason: "data_too_large" },
        { row: 7, email: "c@example.com", reason: "data_too_large" },
      ],
    });
    expect(await dataOf(project)).toEqual({
      "a@example.com": { n: 1 },
      "b@example.com": { n: 1, x: big },
      "d@example.com": { n: 1 },
      "full@example.com": { stored: big, n: 3 },
    });
  });

  it("takes a row that fills a contact's data to the last byte", async () => {
    const project = await newProject();
    const fits = "é".repeat((65_536 - '{"key":""}'.length) / 2);
    expect(await importCsv(project, `email,key\na@example.com,${fits}\nb@example.com,x${fits}\n`)).toMatchObject({
      imported: 1,
      errors: [{ row: 3, email: "b@example.com", reason: "data_too_large" }],
    });
  });

  it("tells of the first 1,000 rows it skipped, and counts them all", async () => {
    const project = await newProject();
    const rows = Array.from({ length: 1_200 }, (_, n) =>
      n === 1_100 ? "ada@example.com,x" : n % 2 ? `,${n}` : `bad${n},x`,
    );
    const job = await importCsv(project, `email,n\n${rows.join("\n")}`);
    expect(job).toMatchObject({ totalRows: 1_200, imported: 1, updated: 0, skipped: 1_199, errorsTruncated: true });
    expect(job.errors).toHaveLength(1_000);
    expect(job.errors.slice(0, 2)).toEqual([
      { row: 2, email: "bad0", reason: "invalid_email" },
      { row: 3, email: "", reason: "missing_email" },
    ]);
    expect(job.errors.at(-1)).toEqual({ row: 1_001, email: "", reason: "missing_email" });
  });

  it("cuts what it shows of an address that is none", async () => {
    const project = await newProject();
    const { errors } = await importCsv(project, `email,n\n${"🎉".repeat(200)}a,1\n`);
    expect(errors).toEqual([{ row: 2, email: "🎉".repeat(127), reason: "invalid_email" }]);
  });

  it.each<[what: string, file: string | Uint8Array<ArrayBuffer>, reason: RegExp]>([
    ["no bytes", "", /empty/],
    ["no email column", "name\nAda\n", /no column named email/],
    ["Latin-1", Uint8Array.from([...utf8("email,name\nada@example.com,Zo"), 0xeb]), /not UTF-8/],
    ["a quote that is never closed", 'email,n\nada@example.com,1\nbob@example.com,"2\n', /^Row 3 has faulty quotes/],
  ])("of a file with %s fails, with a reason and no effect", async (_, file, reason) => {
    const project = await newProject();
    const job = await importCsv(project, file);
    expect(job).toEqual({
      jobId: expect.stringMatching(uuid),
      status: "failed",
      progress: 100,
      totalRows: 0,
      imported: 0,
      updated: 0,
      skipped: 0,
      droppedColumns: [],
      errors: [],
      reason: expect.stringMatching(reason),
      undoableUntil: expect.stringMatching(isoTime),
      createdAt: expect.stringMatching(isoTime),
      completedAt: expect.stringMatching(isoTime),
    });
    expect(await contactsOf(project)).toEqual([]);
    expect(await traces(project)).toEqual({ jobs: 1, files: 0 });
  });

  it("names the columns that it drops, at every time", async () => {
    const project = await newProject();
    const header = "email,id,subscribed,createdAt,updatedAt,manageUrl,email_,,plan";
    const job = await importCsv(project, `${header}\nada@example.com,1,false,x,y,z,q,w,pro\n`);
    expect(job).toMatchObject({ status: "completed", imported: 1 });
    expect(job.droppedColumns).toEqual(["id", "subscribed", "createdAt", "updatedAt", "manageUrl"]);
    expect((await importCsv(project, "email,plan\n")).droppedColumns).toEqual([]);
  });

  it("of a header only is done at once", async () => {
    const project = await newProject();
    expect(await importCsv(project, "email,name\n")).toMatchObject({ status: "completed", totalRows: 0, imported: 0 });
    expect(await traces(project)).toEqual({ jobs: 1, files: 0 });
  });

  it("brings nobody back who had left before they were erased", async () => {
    const project = await newProject();
    const world = new World();
    const erase = async (...contactIds: string[]) => {
      const { ctx } = await world.context(project);
      await startBulk(ctx, "delete", { contactIds: contactIds.map(readId) });
      await world.drain();
    };
    const ids = [];
    for (const name of ["left", "suppressed", "in"]) {
      const made = await project.api.post("/contacts", { email: `${name}@example.com`, subscribed: name !== "left" });
      ids.push(made.body.id);
    }
    await project.api.post("/suppressions", { email: "suppressed@example.com", reason: "complaint" });
    await erase(...ids);
    expect(await contactsOf(project)).toEqual([]);

    const file = "email,n\nleft@example.com,1\nsuppressed@example.com,1\nin@example.com,1\nleft@example.com,2\n";
    expect(await importCsv(project, file, world)).toMatchObject({ imported: 3, updated: 1 });
    const contacts = await contactsOf(project);
    expect(contacts.map(({ email, subscribed, data }) => [email, subscribed, data])).toEqual([
      ["in@example.com", 1, { n: 1 }],
      ["left@example.com", 0, { n: 2 }],
      ["suppressed@example.com", 1, { n: 1 }],
    ]);
    expect(contacts.map(({ opted_out_at }) => opted_out_at === null)).toEqual([true, false, true]);
    expect((await project.api.get("/suppressions")).body.data).toMatchObject([
      { email: "suppressed@example.com", reason: "complaint" },
    ]);
  });

  it("keeps to its project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    await other.api.post("/contacts", { email: "ada@example.com", subscribed: false, data: { plan: "theirs" } });
    const before = await contactsOf(other);
    expect(await importCsv(project, "email,plan\nada@example.com,ours\n")).toMatchObject({ imported: 1, updated: 0 });
    expect(await contactsOf(other)).toEqual(before);
  });
});
