import { env } from "cloudflare:workers";
import { newId, publicId, textOf } from "../../src/core/ids";
import { randomHex } from "../../src/core/keys";
import { authenticate } from "../../src/engine/projects/authenticate";
import { newKey } from "../../src/features/projects/keys/key";
import { openPlatform } from "../../src/platform/open-platform";
import { databaseOf, shards } from "./database";
import { everyRow } from "./every-row";
import type { TestProject } from "./project";

type Row = Record<string, unknown>;

/** The rows of a project that was just made by customers' calls, and its domain's. */
export interface Pattern {
  domainName: string;
  madeAt: number;
  project: Row;
  domain: Row;
}

/** Tables of the installation whose rows are not the project's. */
const ofOthers = ["people", "sessions", "sign_in_links", "passkeys", "monitor_keys", "dead_letters", "used_challenges"];

/** Reads the rows, and removes them. Throws if a new project has rows in a table that `copyProject` does not write. */
export async function takePattern(made: TestProject, shard: string): Promise<Pattern> {
  const tables = await everyRow(made, ofOthers);
  const take = (table: string): Row[] => {
    const rows = (tables[table] ?? []).map((text): Row => JSON.parse(text));
    delete tables[table];
    return rows;
  };
  const project = take("DB.projects").find(({ number }) => number === made.number);
  const [[domain], [claim]] = [take(`${shard}.domains`), take("DB.verified_domains")];
  take("DB.api_keys");
  // The log of how projects were made, which copies do without.
  for (const database of shards) take(`${database}.audit_entries`);
  if (!project || !domain || !claim) throw new Error("A new project has other rows than are copied");
  const others = Object.keys(tables);
  if (others.length > 0) throw new Error(`A new project has rows in ${others}, and its copies have none`);
  await Promise.all([
    env.DB.batch([
      env.DB.prepare("DELETE FROM projects WHERE number = ?").bind(made.number),
      env.DB.prepare("DELETE FROM api_keys WHERE project_id = ?").bind(made.number),
      env.DB.prepare("DELETE FROM verified_domains WHERE project_id = ?").bind(made.number),
    ]),
    databaseOf(shard).batch([
      databaseOf(shard).prepare("DELETE FROM domains WHERE project_id = ?").bind(made.number),
      databaseOf(shard).prepare("DELETE FROM audit_entries WHERE project_id = ?").bind(made.number),
    ]),
  ]);
  return { domainName: made.domain, madeAt: Number(project.created_at), project, domain };
}

/** Writes the rows of another such project, which takes two trips to the database where customers' calls take seventeen. */
export async function copyProject(pattern: Pattern, name: string, shard: string) {
  const id = publicId(newId());
  const now = Date.now();
  const keys = await Promise.all([newKey({ kind: "secret" }, now), newKey({ kind: "public" }, now)]);
  const own = { number: null, id, shard, address_key: randomHex(32) };
  const [created] = await env.DB.batch<{ number: number }>([
    insert(env.DB, "projects", { ...later(pattern.project, now - pattern.madeAt), ...own }, "RETURNING number"),
    ...keys.map(({ row }) => insertKey(id, { ...row, lastUsedAt: row.kind === "secret" ? now : null })),
    env.DB.prepare(
      "INSERT INTO verified_domains (domain, project_id, claim) SELECT ?, number, ? FROM projects WHERE id = ?",
    ).bind(name, textOf(newId()), id),
  ]);
  const number = created?.results[0]?.number;
  if (number === undefined) throw new Error("The project was not created");
  const records = String(pattern.domain.records).replaceAll(pattern.domainName, name);
  const domain = { project_id: number, id: textOf(newId()), domain: name, records };
  const [secret, open] = keys;
  await Promise.all([
    insert(databaseOf(shard), "domains", { ...later(pattern.domain, now - pattern.madeAt), ...domain }).run(),
    // As after a customer's call, the isolate knows the key.
    authenticate(openPlatform(env, { waitUntil: () => {} }), secret.key),
  ]);
  return { id, number, keys: { secret: secret.key, public: open.key } };
}

/** The same row, written some milliseconds later. */
function later(row: Row, ms: number): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      column.endsWith("_at") && typeof value === "number" ? value + ms : value,
    ]),
  );
}

function insert(db: D1Database, table: string, row: Row, then = ""): D1PreparedStatement {
  const columns = Object.keys(row);
  return db
    .prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")}) ${then}`)
    .bind(...Object.values(row));
}

function insertKey(projectId: string, row: Awaited<ReturnType<typeof newKey>>["row"]): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO api_keys (project_id, id, kind, name, prefix, hash, last_used_at, created_at)
      SELECT number, ?, ?, ?, ?, ?, ?, ? FROM projects WHERE id = ?`,
  ).bind(textOf(row.id), row.kind, row.name, row.prefix, row.hash, row.lastUsedAt, row.createdAt, projectId);
}
