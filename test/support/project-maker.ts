import { env } from "cloudflare:workers";
import { newId, publicId, textOf } from "../../src/core/ids";
import { randomHex } from "../../src/core/keys";
import { newKey } from "../../src/features/projects/keys/key";
import { databaseOf, shardOfTest, shards } from "./database";
import { everyRow } from "./every-row";
import { newProject, openProject, type TestProject } from "./project";

type Row = Record<string, unknown>;

let counter = 0;

/**
 * For a test that needs dozens of projects with the same settings: the first is made as customers make theirs, and all others have
 * copies of its rows, which takes a fifth of the trips to the database.
 */
export async function projectMaker(settings: Record<string, unknown> = {}): Promise<() => Promise<TestProject>> {
  const first = await newProject(settings);
  const shard = shardOfTest();
  const tables = await everyRow(first, ["people", "sessions", "sign_in_links", "monitor_keys", "dead_letters"]);
  const rowsOf = (table: string): Row[] => {
    const rows = (tables[table] ?? []).map((text): Row => JSON.parse(text));
    delete tables[table];
    return rows;
  };
  const project = rowsOf("DB.projects").find(({ number }) => number === first.number);
  const [[domain], [claim]] = [rowsOf(`${shard}.domains`), rowsOf("DB.verified_domains")];
  rowsOf("DB.api_keys");
  // The log of how projects were made, which copies do without.
  for (const database of shards) rowsOf(`${database}.audit_entries`);
  if (!project || !domain || !claim) throw new Error("A new project has other rows than are copied");
  const others = Object.keys(tables);
  if (others.length > 0) throw new Error(`A new project has rows in ${others}, and its copies have none`);

  return async () => {
    const id = publicId(newId());
    const name = `m${++counter}-${id.slice(-8)}.test`;
    const keys = await Promise.all([newKey({ kind: "secret" }, Date.now()), newKey({ kind: "public" }, Date.now())]);
    const [created] = await env.DB.batch<{ number: number }>([
      insert(env.DB, "projects", { ...project, number: null, id, address_key: randomHex(32) }, "RETURNING number"),
      ...keys.map(({ row }) => insertKey(id, row)),
      env.DB.prepare(
        "INSERT INTO verified_domains (domain, project_id, claim) SELECT ?, number, ? FROM projects WHERE id = ?",
      ).bind(name, textOf(newId()), id),
    ]);
    const number = created?.results[0]?.number;
    if (number === undefined) throw new Error("The project was not created");
    const records = String(domain.records).replaceAll(first.domain, name);
    const own = { ...domain, project_id: number, id: textOf(newId()), domain: name, records };
    await insert(databaseOf(shard), "domains", own).run();
    const [secret, open] = keys;
    const made = openProject({ id, number, shard, domain: name, keys: { secret: secret.key, public: open.key } });
    // As after the first one's domain was added, the isolate knows its key.
    await made.api.get("/me");
    return made;
  };
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
