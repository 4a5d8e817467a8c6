import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { formWith, importCsv, postImport } from "../support/import";
import { newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { World } from "../support/world";

function dryRun(project: TestProject, csv: string, fields: Record<string, string> = {}) {
  return postImport(project, formWith(csv, fields), {}, "?dryRun=true");
}

async function traces(project: TestProject) {
  const count = (table: string) =>
    project.db.prepare(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`).bind(project.id).first("n");
  const { objects } = await env.BLOBS.list({ prefix: `import/${project.id}/` });
  return [await count("jobs"), await count("contacts"), await count("contact_fields"), objects.length];
}

describe("POST /contacts/import?dryRun=true", () => {
  it("shows what the import would do, and does nothing", async () => {
    const project = await newProject();
    const csv = "E-mail,Plan,Notes,subscribed\nada@example.com,pro,x,no\nADA@example.com,free,,\nnope,,,\n";
    const mapping = JSON.stringify({ "E-mail": "email", Plan: "data.plan", Notes: null });
    const { status, body } = await dryRun(project, csv, { mapping });
    const stored = { isNew: true, email: "ada@example.com", subscribed: true, source: "IMPORT" };
    const times = { createdAt: null, optedOutAt: null, confirmedAt: null };
    expect([status, body]).toEqual([
      200,
      {
        totalRows: 3,
        rows: [
          { row: 2, ...stored, data: { plan: "pro" }, ...times },
          { row: 3, ...stored, isNew: false, data: { plan: "free" }, ...times },
        ],
        columns: [
          { column: "E-mail", field: "email", type: "string" },
          { column: "Plan", field: "data.plan", type: "string" },
          { column: "Notes", field: null, type: null },
          { column: "subscribed", field: null, type: null },
        ],
        droppedColumns: ["Notes", "subscribed"],
        duplicates: 1,
        invalid: 1,
        errors: [{ row: 4, email: "nope", reason: "invalid_email" }],
        unsubscribedRows: 1,
        warnings: [{ field: "subscribed", message: expect.stringMatching(/^1 row says no/) }],
      },
    ]);
    expect(await traces(project)).toEqual([0, 0, 0, 0]);
  });

  it("shows twenty rows, and counts all", async () => {
    const project = await newProject();
    const rows = Array.from({ length: 150 }, (_, n) => `u${n}@example.com,no\nnope${n},no`);
    const { body } = await dryRun(project, `email,unsubscribed\n${rows.join("\n")}`);
    expect([body.rows.length, body.totalRows, body.invalid, body.errors.length]).toEqual([20, 300, 150, 100]);
    expect(body.rows.at(-1).email).toBe("u19@example.com");
  });

  it("says the type that the project knows, or else that of the first value", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", data: { known: "text" } });
    const { body } = await dryRun(project, "email,known,n,empty\na@example.com,1,,\nb@example.com,2,3,\n");
    expect(body.columns.slice(1)).toEqual([
      { column: "known", field: "data.known", type: "string" },
      { column: "n", field: "data.n", type: "number" },
      { column: "empty", field: "data.empty", type: null },
    ]);
  });

  it("says which of its rows do not fit over what is stored", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "full@example.com", data: { stored: "x".repeat(40_000) } });
    const { body } = await dryRun(project, `email,y\nnope,\nfull@example.com,${"y".repeat(40_000)}\n`);
    expect([body.rows, body.invalid, body.errors]).toEqual([
      [],
      2,
      [
        { row: 2, email: "nope", reason: "invalid_email" },
        { row: 3, email: "full@example.com", reason: "data_too_large" },
      ],
    ]);
  });

  it.each([
    ["a file without addresses", "a\n1\n", {}, "file", /no column named email/],
    ["faulty quotes in the last row", 'email\nada@example.com\n"b', {}, "file", /Row 3 has faulty quotes/],
    ["no column subscribed", "email\n", { subscribed: "column" }, "file", /no column named subscribed/],
    ["a mapping of no column", "email\n", { mapping: '{"a":null}' }, "mapping.a", /no column a/],
    ["a mapping that is not JSON", "email\n", { mapping: "{" }, "mapping", /Must be JSON/],
    ["a mapping to a number", "email,a\n", { mapping: '{"a":1}' }, "mapping.a", /expected string, received number/],
    ["a reserved name", "email,a\n", { mapping: '{"a":"id"}' }, "mapping.a", /id is reserved/],
  ])("refuses %s", async (_, csv, fields, field, message) => {
    const project = await newProject();
    const { status, body } = await dryRun(project, csv, fields);
    expect([status, body.error.errors]).toEqual([
      422,
      [expect.objectContaining({ field, message: expect.stringMatching(message) })],
    ]);
  });

  it("refuses another word than true and false", async () => {
    const project = await newProject();
    expectInvalid(await postImport(project, formWith("email\n"), {}, "?dryRun=yes"), "dryRun", "invalid_enum_value");
    expect((await postImport(project, formWith("email\n"), {}, "?dryRun=false")).status).toBe(202);
  });

  it("refuses a file over 5 MB", async () => {
    const project = await newProject();
    const large = formWith(new Uint8Array(5 * 1024 * 1024 + 1).fill(0x20));
    expectRefusal(await postImport(project, large, {}, "?dryRun=true"), 413, "PAYLOAD_TOO_LARGE", {
      details: { maxBytes: 5 * 1024 * 1024 },
    });
  });
});

interface Shown {
  email: string;
  createdAt: string | null;
  optedOutAt: string | null;
}

describe("a dry run shows what the import then stores", () => {
  const moved = "createdAt,confirmedAt,optedOutAt,source,plan";
  const rows = [
    "new@example.com,,,,,pro",
    "old@example.com,2020-01-31,2021-01-31,,SEND,pro",
    "left@example.com,,,2022-01-31,,",
    "browser@example.com,,2021-01-31,,,free",
    "gone@example.com,,,,,pro",
    "erased@example.com,,,,,pro",
    "snoozed@example.com,,,2023-01-31,,",
    "new@example.com,,2021-01-31,,API,free",
  ];
  const said = ["yes", "no", "yes", "no", "yes", "yes", "no", "no"];
  const file = {
    silent: `email,${moved}\n${rows.join("\n")}\n`,
    saying: `email,${moved},subscribed\n${rows.map((row, at) => `${row},${said[at]}`).join("\n")}\n`,
  };

  it.each([
    ["without a word on subscriptions", "silent", {}],
    ["with the column subscribed", "saying", { subscribed: "column" }],
    ["with all columns", "silent", { columns: "all" }],
    ["with all columns and subscriptions", "saying", { columns: "all", subscribed: "column" }],
    [
      "with a mapping",
      "saying",
      { mapping: '{"subscribed":"subscribed","optedOutAt":"optedOutAt","plan":"data.tier"}' },
    ],
  ] as const)("%s", async (_, which, fields: { subscribed?: string; columns?: string; mapping?: string }) => {
    const [project, world] = [await newProject(), new World()];
    for (const email of ["old", "browser", "gone", "erased", "snoozed"]) {
      await project.api.post("/contacts", { email: `${email}@example.com`, data: { plan: "old", kept: 1 } });
    }
    const idOf = async (name: string) => (await project.api.get(`/contacts?email=${name}@example.com`)).body.data[0].id;
    await project.api.patch(`/contacts/${await idOf("gone")}`, { subscribed: false });
    await project.api.post(`/contacts/${await idOf("snoozed")}/snooze`, { duration: "14d" });
    await project.db
      .prepare("UPDATE contacts SET source = 'PUBLIC' WHERE project_id = ? AND email = 'browser@example.com'")
      .bind(project.id)
      .run();
    const erased = await idOf("erased");
    await project.api.patch(`/contacts/${erased}`, { subscribed: false });
    await project.api.delete(`/contacts/${erased}`);

    const form = Object.fromEntries(Object.entries(fields));
    const shown = (await dryRun(project, file[which], form)).body.rows;
    await importCsv(project, file[which], world, {
      takesSubscribed: fields.subscribed === "column" || fields.mapping !== undefined,
      takesAll: fields.columns === "all",
      ...(fields.mapping === undefined ? {} : { mapping: JSON.parse(fields.mapping) }),
    });
    const last = new Map<string, Shown>(shown.map((row: Shown) => [row.email, row]));
    const { data } = (await project.api.get("/contacts?limit=100")).body;
    expect(data.length).toBe(last.size);
    for (const contact of data) {
      const { email, subscribed, source, confirmedAt, data, createdAt } = contact;
      const row = last.get(email);
      expect({ ...row, createdAt: row?.createdAt ?? createdAt }).toEqual({
        ...{ email, subscribed, source, confirmedAt, data, createdAt },
        ...{ row: expect.any(Number), isNew: expect.any(Boolean), optedOutAt: row?.optedOutAt },
      });
      expect(roughly(row?.optedOutAt ?? null)).toBe(roughly(contact.optedOutAt));
    }
  });
});

/** The import runs a little later than the dry run. */
function roughly(time: string | null): string | null {
  return time === null ? null : time.slice(0, 10);
}
