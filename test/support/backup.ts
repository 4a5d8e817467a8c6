import { env } from "cloudflare:workers";
import { publicId, readId, textOf } from "../../src/core/ids";
import { backupTables, type ProjectTable } from "../../src/db/project-tables";
import { startBackup } from "../../src/features/projects/backups/start";
import { databaseOf } from "./database";
import type { TestProject } from "./project";
import type { World } from "./world";

export type Row = Record<string, unknown>;

async function shardOf({ number }: TestProject): Promise<string> {
  const shard = await env.DB.prepare("SELECT shard FROM projects WHERE number = ?").bind(number).first<string>("shard");
  return shard ?? "";
}

/** The database of a project, with ids and numbers as they are stored. */
export async function rawDatabaseOf(project: TestProject): Promise<D1Database> {
  return databaseOf(await shardOf(project));
}

/** The rows of a project as a backup should have them, by table. */
export async function rowsOfProject(project: TestProject): Promise<Record<string, Row[]>> {
  const db = await rawDatabaseOf(project);
  const results = await db.batch<Row>(
    backupTables.map(({ name, columns, secrets }) => {
      const kept = columns.filter((column) => !secrets.includes(column)).map((column) => `"${column}"`);
      return db.prepare(`SELECT ${kept.join(", ")} FROM ${name} WHERE project_id = ?`).bind(project.number);
    }),
  );
  return Object.fromEntries(
    backupTables.map((table, index) => [table.name, sorted(table, (results[index]?.results ?? []).filter(isKept))]),
  );
}

function isKept({ type }: Row): boolean {
  return !String(type).startsWith("project.");
}

export function sorted({ key }: Pick<ProjectTable, "key">, rows: Row[]): Row[] {
  const name = (row: Row) => JSON.stringify(key.map((column) => row[column]));
  return rows.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}

/** The rows of a backup, by table, with how often each was found. */
export async function rowsOfBackup(folder: string): Promise<Record<string, Row[]>> {
  const found = await Promise.all(
    backupTables.map(async (table): Promise<[string, Row[]]> => {
      return [table.name, sorted(table, await linesBelow(`${folder}/rows/${table.name}/`))];
    }),
  );
  return Object.fromEntries(found);
}

export async function linesBelow(prefix: string): Promise<Row[]> {
  const { objects } = await env.BLOBS.list({ prefix });
  const texts = await Promise.all(objects.map(({ key }) => textOfFile(key)));
  return texts.flatMap((text) => text.split("\n").filter(Boolean)).map((line) => JSON.parse(line) as Row);
}

export async function textOfFile(key: string): Promise<string> {
  const file = await env.BLOBS.get(key);
  return file === null ? "" : file.text();
}

/** The folder of the only backup of a project. */
export async function folderOfBackup(project: TestProject): Promise<string> {
  const { objects } = await env.BLOBS.list({ prefix: `backups/${project.id}/` });
  const [folder, ...more] = [...new Set(objects.map(({ key }) => key.split("/").slice(0, 3).join("/")))];
  if (folder === undefined || more.length > 0) throw new Error(`The project has ${more.length} more backups than one`);
  return folder;
}

/** Makes a backup to its end, and returns its public id. */
export async function backUp(world: World, project: TestProject): Promise<string> {
  const { jobId } = await startBackup(world.process().platform, project.id);
  await world.drain();
  return publicId(jobId);
}

export async function statusOfJob(project: TestProject, jobId: string): Promise<string | null> {
  return (await rawDatabaseOf(project))
    .prepare("SELECT status FROM jobs WHERE project_id = ? AND id = ?")
    .bind(project.number, jobId.includes("-") && jobId.length === 36 ? textOf(readId(jobId)) : jobId)
    .first("status");
}
