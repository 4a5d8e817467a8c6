import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as tables from "../../src/db/tables";

/** What the operator has of all projects: a key says which project it is of, a domain's name whose it is, and a member is a person's. */
const controlTables = new Set([
  "projects",
  "api_keys",
  "verified_domains",
  "dead_letters",
  "outbox_messages",
  "memberships",
]);

/** Tables with rows of tenants: each of their statements names its project. */
export const tenantTables: string[] = Object.values(tables).flatMap((table) =>
  is(table, SQLiteTable) && "projectId" in getTableColumns(table) && !controlTables.has(getTableName(table))
    ? [getTableName(table)]
    : [],
);

/** Statements that look at every project, each by what it says, and why it may. */
const exceptions: { why: string; says: RegExp }[] = [
  {
    why: "a sweep over what is old walks along the rows of each project, which remembers where it is",
    says: /FROM project_counts p\s+(CROSS JOIN emails e ON e\.project_id = p\.project_id|WHERE p\.project_id >= \? AND p\.project_id NOT IN \([^()]+\) AND EXISTS)/,
  },
  {
    why: "a sweep takes what is due by an index of due times",
    says: /INDEXED BY ix_\w+_(due|tick|waiting|open|ended|snoozed|uncounted|uncomputed|expiry|handed|held|failed_at|failing)\b/,
  },
  {
    why: "pre-flights of all projects share what the consumers of jobs can do",
    says: /^SELECT count\(\*\) AS open FROM \(SELECT 1 FROM jobs INDEXED BY ix_jobs_preflights\b/,
  },
  {
    why: "the job that erases a project is the operator's, who asks for it by its id",
    says: /INDEXED BY ix_jobs_erasures\b/,
  },
  {
    why: "other jobs of the operator are asked for by their ids, too",
    says: /INDEXED BY ix_jobs_operator\b/,
  },
  {
    why: "a trigger has no parameters, so its text has the number of the project",
    says: /^CREATE TRIGGER (IF NOT EXISTS )?capture_(move_)?\d+_\w+ (AFTER|BEFORE) \w+ ON \w+\s+WHEN (OLD|NEW)\.project_id = \d+ /,
  },
  {
    why: "a name at the provider is everybody's until its last project leaves",
    says: /FROM domains INDEXED BY ix_domains_name WHERE domain = \?/,
  },
  {
    why: "verified domains without a name are looked for in all projects, page by page",
    says: /FROM domains\s+WHERE \(project_id, id\) > \(\?, \?\) AND project_id NOT IN \([^()]+\)\s+ORDER BY project_id, id LIMIT \?$/,
  },
  {
    why: "listeners of waits that nobody needs are looked for in all projects, page by page",
    says: /FROM event_listeners\s+WHERE \(project_id, name, listener_id\) > \(\?, \?, \?\) AND project_id NOT IN \([^()]+\)\s+ORDER BY [\w, ]+ LIMIT \?$/,
  },
  {
    why: "hosts that nobody calls are looked for in all projects, page by page",
    says: /FROM workflow_hosts\s+WHERE \(project_id, host\) > \(\?, \?\) AND project_id NOT IN \([^()]+\)\s+ORDER BY [\w, ]+ LIMIT \?$/,
  },
  {
    why: "the shards of all projects with workflows are woken, project by project",
    says: /SELECT min\(project_id\) FROM workflows WHERE project_id > \?\s+UNION ALL/,
  },
  {
    why: "the operator's figures add up the mail of all projects, project by project",
    says: /SELECT min\(project_id\) FROM (event_names|monthly_usage) WHERE true AND project_id > \?\)?\s+UNION ALL/,
  },
];

/** The project as a bound value, as a part of one that names several, or in a column of what is inserted. */
const namesProject = new RegExp(
  [
    /"?project_id"?\s*=\s*\w+\.value->>('projectId'|\d)/,
    /"?project_id"?\)?\s*(=|IN)\s*\(?\s*\?/,
    // The key of a row, whose first column is the project.
    /\((\w+\.)?"?project_id"?,[^()]*\)\s*(=|IN)\s*\((SELECT )?\?/,
    /\bINSERT INTO "?\w+"?\s*\([^)]*"?project_id"?/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "i",
);

/** Each mention of a tenant's table, with the name that its columns have there. */
function mentionsIn(sql: string): { table: string; alias: string | undefined }[] {
  const mention = /\b(?:FROM|JOIN|INTO|UPDATE)\s+"?(\w+)"?(?:\s+(?:AS\s+)?"?(\w+)"?)?/gi;
  return [...sql.matchAll(mention)].flatMap(([, table = "", next = ""]) =>
    tenantTables.includes(table) ? [{ table, alias: keyword.test(next) ? undefined : next || undefined }] : [],
  );
}

/** What may come after a table that has no other name. */
const keyword =
  /^(WHERE|SET|SELECT|VALUES|ON|USING|INDEXED|NOT|CROSS|LEFT|INNER|JOIN|ORDER|GROUP|LIMIT|UNION|RETURNING|DEFAULT|from|where)$/i;

/** A table is tied to a project by its own column: under its other name, or, as the only one without, under none. */
function isTied(sql: string, { table, alias }: { table: string; alias: string | undefined }): boolean {
  if (new RegExp(`(^|[^\\w])"?${alias ?? table}"?\\."?project_id`, "i").test(sql)) return true;
  return /(^|[^.\w"])"?project_id\b/i.test(sql);
}

/** What is wrong with a statement, or null. */
export function tenantFault(sql: string): string | null {
  const mentions = mentionsIn(sql);
  if (mentions.length === 0 || exceptions.some(({ says }) => says.test(sql))) return null;
  const untied = mentions.filter((mention) => !isTied(sql, mention)).map(({ table }) => table);
  if (untied.length > 0) return `A statement ties ${untied.join(", ")} to no project:\n${sql}`;
  if (namesProject.test(sql)) return null;
  return `A statement on ${mentions.map(({ table }) => table).join(", ")} names no project:\n${sql}`;
}

/** Every text that was prepared, and whether the product did it or a test that looks into the database. */
const prepared = new Map<string, boolean>();

const listeners = new Set<Set<string>>();

/** The texts of all statements that were prepared meanwhile, the product's and those of the test. */
export async function statementsDuring(act: () => Promise<unknown>): Promise<string[]> {
  const heard = new Set<string>();
  listeners.add(heard);
  try {
    await act();
  } finally {
    listeners.delete(heard);
  }
  return [...heard];
}

/** Hears of every statement from here on, of whatever database. */
export function watchStatements(database: D1Database): void {
  // All bindings share one class, and files share an isolate.
  const shared: { prepare: D1Database["prepare"]; isWatched?: true } = Object.getPrototypeOf(database);
  if (shared.isWatched) return;
  const { prepare } = shared;
  shared.isWatched = true;
  shared.prepare = function (this: D1Database, sql: string) {
    if (!prepared.has(sql)) prepared.set(sql, isOfProduct(new Error().stack ?? ""));
    for (const heard of listeners) heard.add(sql);
    return prepare.call(this, sql);
  };
}

/** Whose statement it is: a test may be called by the product, as a provider is, and the product by a test. */
export function isOfProduct(stack: string): boolean {
  const files = stack.split("\n").filter((line) => !/node_modules|tenant-check|limit-check|killable/.test(line));
  return /\/src\//.test(files.find((line) => /\/(src|test)\//.test(line)) ?? "");
}

export function tenantFaults(): string[] {
  return [...prepared].flatMap(([sql, isProduct]) => (isProduct ? (tenantFault(sql) ?? []) : []));
}
