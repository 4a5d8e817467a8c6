import { eq, type SQL, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { dialect } from "../../src/db/client";
import { textOf } from "../../src/db/sql-text";
import { contacts } from "../../src/db/tables";

const drizzles = new SQLiteAsyncDialect({ casing: "snake_case" });

const values = sql`a = ${"text"} AND b = ${1.5} AND c = ${true} AND d = ${null} AND e = ${""}`;
const nested = sql`SELECT ${sql.raw("x.y")} FROM (${values}) WHERE ${sql.join([sql`p = ${1}`, sql`q = ${2}`], sql` AND `)}`;
const appended = sql`SELECT 1`.append(sql` LIMIT ${20}`);

/** What drizzle writes, without what it notes of types. */
function written(query: SQL) {
  const { sql: text, params } = drizzles.sqlToQuery(query);
  return { sql: text, params };
}

describe("the text of a template", () => {
  it.each<[string, SQL]>([
    ["no value", sql`SELECT 1`],
    ["values", values],
    ["other templates", nested],
    ["what was appended", appended],
    ["nothing", sql.empty()],
  ])("with %s is the one that drizzle writes", (_, query) => {
    expect(textOf(query)).toEqual(written(query));
  });

  it.each<[string, SQL]>([
    ["a column", sql`SELECT ${contacts.projectId} FROM x WHERE y = ${1}`],
    ["a table", sql`SELECT 1 FROM ${contacts}`],
    ["a name", sql`SELECT 1 FROM ${sql.identifier("x")}`],
    ["a list", sql`x IN ${[1, 2]}`],
    ["a condition on a column", sql`SELECT 1 WHERE ${eq(contacts.subscribed, true)}`],
    ["a value that is left out", sql`SELECT 1 ${undefined}`],
  ])("with %s is left to drizzle", (_, query) => {
    expect(textOf(query)).toBeNull();
    expect(dialect.sqlToQuery(query)).toMatchObject(written(query));
  });
});
