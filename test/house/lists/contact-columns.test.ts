import { sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { expect, it, vi } from "vitest";
import { z } from "zod";

// A column that contacts do not have, in the one list of them.
vi.mock("../../../src/core/contacts/columns", async (original) => {
  const actual = await original<typeof import("../../../src/core/contacts/columns")>();
  const metAt = {
    ...{ kind: "time", isNullable: true, isFilter: true, isField: true, imported: "once" },
    ...{ answer: z.iso.datetime().nullable().meta({ description: "When we met." }), example: null },
  };
  return { ...actual, contactColumns: { ...actual.contactColumns, metAt } };
});

const [conditions, kinds, columns, csv, rows, moved, schema, imports, nouns, guide] = await Promise.all([
  import("../../../src/core/audience/condition"),
  import("../../../src/core/contacts/column-kinds"),
  import("../../../src/db/contact-columns"),
  import("../../../src/core/contacts/csv"),
  import("../../../src/core/contacts/csv-row"),
  import("../../../src/core/contacts/csv-moved"),
  import("../../../src/features/contacts/schema"),
  import("../../../src/features/contacts/import/schema"),
  import("../../../src/features/contacts/contact"),
  import("../../../src/http/guide"),
]);

const metAt = "metAt" as never;

it("a column that is added to the list is in answers, their schema and its example", () => {
  expect(Reflect.get(schema.Contact.shape, "metAt").meta().description).toBe("When we met.");
  expect(schema.Contact.meta()?.example).toHaveProperty("metAt", null);
  const row = { id: "0199a0f26c1e7b3a9d540c8f6f1f2a10", data: {}, createdAt: 0, updatedAt: 0, metAt: 1 } as never;
  expect(nouns.contactJson(row)).toMatchObject({ metAt: "1970-01-01T00:00:00.001Z" });
});

it("is shown before the data, and all columns in the order of answers", () => {
  const inOrder =
    "id, email, subscribed, snoozedUntil, optedOutAt, confirmedAt, source, metAt, data, version, createdAt, updatedAt";
  expect(Object.keys(schema.Contact.shape).join(", ")).toBe(inOrder);
});

it("is in the API document: in the schema of contacts, in the text of imports and in the guide", () => {
  expect(JSON.stringify(z.toJSONSchema(schema.Contact))).toContain('"metAt":{"anyOf"');
  expect(imports.UploadImport.shape.columns.meta()?.description).toContain("`source`, `metAt` and `topics`");
  expect(guide.guide("https://petrel.example", { readsCopies: false })).toContain("`source`, `metAt` and `topics`");
});

it("is a field of conditions, which compare it by its kind", () => {
  const filter = { field: "metAt", operator: "lessThan", value: "2026-01-31T09:00:00.000Z" };
  const condition = { logic: "AND", groups: [{ filters: [filter] }] };
  expect(conditions.FilterCondition.safeParse(condition).success).toBe(true);
  const nope = { logic: "AND", groups: [{ filters: [{ ...filter, field: "nope" }] }] };
  expect(conditions.FilterCondition.safeParse(nope).error?.issues[0]?.message).toContain("metAt");
  const column = columns.contactColumn(metAt, "c");
  const { exists } = kinds.operandOf(metAt, column, (value) => sql`${value}`);
  expect(new SQLiteAsyncDialect({ casing: "snake_case" }).sqlToQuery(exists).sql).toBe("(c.met_at IS NOT NULL)");
});

it("is a column of CSV files, and no data of a contact", () => {
  const bytes = new TextEncoder().encode("email,metAt,plan\nada@example.com,2026-01-31,pro\n");
  const movingIn = { now: Date.parse("2026-02-01"), topics: new Set<string>() };
  const file = csv.openCsv(bytes, { movingIn });
  if ("fault" in file) throw new Error(file.fault);
  expect(rows.readRow(file, ["ada@example.com", "2026-01-31", "pro"])).toEqual({
    ...{ email: "ada@example.com", data: { plan: "pro" } },
    metAt: Date.parse("2026-01-31"),
  });
  expect(rows.readRow(file, ["ada@example.com", "nope", ""])).toEqual({
    email: "ada@example.com",
    reason: "invalid_time",
  });
  expect(moved.movedNamesListed).toContain("`metAt`");
});
