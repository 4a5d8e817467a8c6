import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { tenantTables } from "./tenant-check";

interface Statement {
  sql: string;
  values: unknown[];
}

/** The steps of a statement's query plan, as SQLite words them. */
export async function planOf({ sql, values }: Statement): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

/** Steps that grow with what they read, in statements of which it is known that this is little. */
export interface Allowed {
  /** Of the statement on one line. */
  sql: RegExp;
  step: RegExp;
}

/** What one condition names. */
export const namesOfCondition: Allowed = {
  sql: /INSERT INTO audience_references .* FROM json_each|FROM json_each\(\?\) n LEFT JOIN event_names e .* ORDER BY n\.key/,
  step: /TEMP B-TREE FOR (DISTINCT|ORDER BY)/,
};

/** The segments that a condition reaches: 1,000 at most. */
export const segmentsReached: Allowed = {
  sql: /FROM reachable CROSS JOIN segments/,
  step: /TEMP B-TREE FOR ORDER BY/,
};

/** Those who match in one window. */
export const matchesOfWindow: Allowed = { sql: /FROM matching ORDER BY id/, step: /TEMP B-TREE FOR ORDER BY/ };

/** Hosts that are due to be called: four at most of each project that has any. */
export const dueHosts: Allowed = { sql: /FROM hop CROSS JOIN workflow_hosts/, step: /TEMP B-TREE FOR ORDER BY/ };

/** The entries in the trash of one project: 12,000 at most are read, and an index alone has what is read of them. */
export const trashOfProject: Allowed = {
  sql: /FROM trash INDEXED BY ix_trash_list WHERE project_id = \? (AND purge_at > \? )?ORDER BY deleted_at DESC, id DESC LIMIT/,
  step: /COVERING INDEX ix_trash_list/,
};

/**
 * One row of each project, its segments and its topics (1,000 at most of each), the blocks of its last mails (some 20), and the names in it, which
 * are fewer than what they name.
 */
const fewInProject = new Set([
  "project_counts",
  "segments",
  "topics",
  "sending_blocks",
  "contact_fields",
  "event_names",
]);

/**
 * No statement reads more because a project has more, or the installation. None scans a table with rows of projects,
 * enters its index by the project alone, sorts or groups in a tree of its own, or makes an index for itself. What does so
 * all the same is named in `allowed`, with a comment on why it is bounded. What is named there and not met fails too.
 */
export async function expectBounded(statements: Statement[], allowed: Allowed[] = []): Promise<void> {
  const met = new Set<Allowed>();
  const faults: { sql: string; steps: string[] }[] = [];
  for (const [text, statement] of new Map(statements.map((each) => [each.sql, each]))) {
    const sql = text.replace(/\s+/g, " ").trim();
    const growing = (await planOf(statement)).filter((step) => isGrowing(step, sql));
    const steps = growing.filter((step) => {
      const exception = allowed.find((one) => one.sql.test(sql) && one.step.test(step));
      if (exception) met.add(exception);
      return !exception;
    });
    if (steps.length > 0) faults.push({ sql, steps });
  }
  expect(faults).toEqual([]);
  expect(
    allowed.filter((one) => !met.has(one)),
    "allowed, but not met",
  ).toEqual([]);
}

function isGrowing(step: string, sql: string): boolean {
  if (isOfWritingEvents(step, sql) || isOfCounting(step, sql) || isOfAsking(step, sql)) return false;
  if (step.includes("TEMP B-TREE") || step.includes("AUTOMATIC")) return true;
  // A Bloom filter is made of all rows of what it is on.
  const [, way, name] = /^(SCAN|SEARCH|BLOOM FILTER ON) (\w+)/.exec(step) ?? [];
  // A project that moves has one row there, and few move at once.
  if (name === undefined || name === "moves" || !isTenant(name, sql)) return false;
  return way !== "SEARCH" || (step.endsWith("(project_id=?)") && !fewInProject.has(name));
}

/**
 * A batch that writes events makes ids after the newest event, which is the end of the key, and counts its own rows. What
 * these rows are made of is in all three of its statements.
 */
function isOfWritingEvents(step: string, sql: string): boolean {
  if (!/^INSERT INTO (events|event_days|event_names) /.test(sql)) return false;
  if (/^INSERT INTO event_names /.test(sql) && step === "SCAN c") return true;
  return /^(SEARCH newest USING PRIMARY KEY \(project_id=\?\)|USE TEMP B-TREE|SEARCH base USING AUTOMATIC)/.test(step);
}

/** A tick asks whether an index of open work has a row, and reads none but the first. */
function isOfAsking(step: string, sql: string): boolean {
  return (
    /^SELECT json_array\((\(EXISTS \(SELECT 1 FROM )/.test(sql) &&
    /^SCAN \w+ USING (COVERING )?INDEX ix_\w+$/.test(step)
  );
}

/** A batch adds up what its contacts or executions change. These are in its other statements, too. */
function isOfCounting(step: string, sql: string): boolean {
  return /^INSERT INTO (project_counts|execution_counts) /.test(sql) && step === "USE TEMP B-TREE FOR GROUP BY";
}

/** By its own name, or by another that the statement gives it, as in `FROM contacts c`. */
function isTenant(name: string, sql: string): boolean {
  if (tenantTables.includes(name)) return true;
  const renamed = new RegExp(`\\b(\\w+)"? (?:AS )?"?${name}\\b`, "gi");
  return [...sql.matchAll(renamed)].some(([, table = ""]) => tenantTables.includes(table));
}
