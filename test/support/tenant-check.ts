import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as tables from "../../src/db/tables";

/** What the operator has of all projects: a key says which project it is of, and a domain's name whose it is. */
const controlTables = new Set(["projects", "api_keys", "verified_domains", "dead_letters", "outbox_messages"]);

/** Tables with rows of tenants: each of their statements names its project. */
export const tenantTables: string[] = Object.values(tables).flatMap((table) =>
  is(table, SQLiteTable) && "projectId" in getTableColumns(table) && !controlTables.has(getTableName(table))
    ? [getTableName(table)]
    : [],
);

/** Statements that look at every project, each by what it says, and why it may. */
const exceptions: { why: string; says: RegExp }[] = [
  {
    why: "a sweep takes what is due by an index of due times",
    says: /INDEXED BY ix_\w+_(queued|sending|waiting|open|due|snoozed|uncounted|uncomputed|expiry)\b/,
  },
  {
    why: "abandoned mail is settled by the claims that its sweep has read",
    says: /json_each\(\?\) r\b[\s\S]*e\.claim = r\.value->>'claim'/,
  },
  {
    why: "a report without our tag is found by the provider's own id",
    says: /INDEXED BY ix_emails_provider_message/,
  },
  {
    why: "the job that erases a project is the operator's, and outlives the project",
    says: /^UPDATE jobs SET status = '(processing|completed)', [^(]*(CAST[\s\S]*)?WHERE id = \?|^select [\s\S]* from "jobs" where \("jobs"."id" = \? and "jobs"."type" = \?\)/,
  },
  {
    why: "a name at the provider is everybody's until its last project leaves",
    says: /FROM domains WHERE domain = \?/,
  },
  {
    why: "verified domains without a name are looked for in all projects, page by page",
    says: /FROM domains\s+WHERE id > \? ORDER BY id LIMIT \?$/,
  },
  {
    why: "the sweep that repairs the names of domains reads a page of those of all projects",
    says: /^SELECT id, project_id, domain, status = 'VERIFIED' AS is_verified, version FROM domains\s/,
  },
  {
    why: "files without a row are looked for in all projects",
    says: /^SELECT id FROM "?\w+"? WHERE id IN \(SELECT value FROM json_each\(\?\)\)$/,
  },
];

/** The project as a bound value, as a part of one that names several, or in a column of what is inserted. */
const namesProject =
  /"?project_id"?\s*=\s*\w+\.value->>'projectId'|"?project_id"?\)?\s*(?:=|IN)\s*\(?\s*\?|\bINSERT INTO "?\w+"?\s*\([^)]*"?project_id"?/i;

/** What is wrong with a statement, or null. */
export function tenantFault(sql: string): string | null {
  const named = tenantTables.filter((table) =>
    new RegExp(`\\b(FROM|JOIN|INTO|UPDATE)\\s+"?${table}"?\\b`, "i").test(sql),
  );
  if (named.length === 0 || namesProject.test(sql) || exceptions.some(({ says }) => says.test(sql))) return null;
  return `A statement on ${named.join(", ")} names no project:\n${sql}`;
}

/** Every text that was prepared, and whether the product did it or a test that looks into the database. */
const prepared = new Map<string, boolean>();

/** Hears of every statement from here on, of whatever database. */
export function watchStatements(database: D1Database): void {
  // All bindings share one class, and files share an isolate.
  const shared: { prepare: D1Database["prepare"]; isWatched?: true } = Object.getPrototypeOf(database);
  if (shared.isWatched) return;
  const { prepare } = shared;
  shared.isWatched = true;
  shared.prepare = function (this: D1Database, sql: string) {
    if (!prepared.has(sql)) prepared.set(sql, isOfProduct(new Error().stack ?? ""));
    return prepare.call(this, sql);
  };
}

/** Whose statement it is: a test may be called by the product, as a provider is, and the product by a test. */
function isOfProduct(stack: string): boolean {
  const files = stack.split("\n").filter((line) => !/node_modules|tenant-check|killable/.test(line));
  return /\/src\//.test(files.find((line) => /\/(src|test)\//.test(line)) ?? "");
}

export function tenantFaults(): string[] {
  return [...prepared].flatMap(([sql, isProduct]) => (isProduct ? (tenantFault(sql) ?? []) : []));
}
