import { sql } from "drizzle-orm";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import { asNumber, asText, columns } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { BlobKind } from "../../platform/blobs";
import type { Platform } from "../../platform/context";

/** Files are looked at in pages of 1,000. */
const pagesPerTick = 20;

/** Where the last tick stopped. It is no file of a project, and so passed over. */
const cursorKey = "sweeps/orphans";

/** The table of the row that a file was put down for. Its key says the row's id, which is never used again. */
const owners: Partial<Record<BlobKind, string>> = {
  content: "email_contents",
  attachment: "email_contents",
  // A body that several versions share goes by the first of them, and versions stay as long as their project.
  template: "template_versions",
  outbox: "outbox_messages",
  import: "jobs",
};

/** A file as its key says it: of a project by its UUID, and of a row by its id as it is kept. */
interface Candidate {
  key: string;
  table: string;
  projectId: string;
  rowId: string;
}

/**
 * The sweep under requests that died between a file and its row, over all projects: a page at a time, on and on through
 * the bucket. A file goes only if it is a day old, by when its row is there or will never be; if its project is one of
 * ours, as a bucket may be shared, or outlive its database; and if no database has its row.
 */
export async function forgetOrphans(platform: Platform): Promise<void> {
  let removed = 0;
  let cursor = await readCursor(platform);
  for (let page = 0; page < pagesPerTick; page++) {
    const { files, isLast } = await platform.blobs.listAfter(cursor);
    const orphans = await findOrphans(platform, files);
    await platform.blobs.delete(orphans);
    removed += orphans.length;
    cursor = isLast ? "" : (files.at(-1)?.key ?? "");
    if (cursor === "") break;
  }
  await platform.blobs.put(cursorKey, cursor);
  if (removed > 0) platform.log("info", "Files without a row were removed", { files: removed });
}

async function readCursor({ blobs }: Platform): Promise<string> {
  const bytes = await blobs.get(cursorKey);
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

async function findOrphans(platform: Platform, files: { key: string; putAt: number }[]): Promise<string[]> {
  const before = platform.now.getTime() - dayMs;
  const old = files.filter(({ putAt }) => putAt < before).flatMap(({ key }) => candidate(key));
  const projects = await findProjects(platform, new Set(old.map(({ projectId }) => projectId)));
  const ours = old.flatMap((file) => {
    const projectNumber = projects.get(file.projectId);
    return projectNumber === undefined ? [] : [{ ...file, projectNumber }];
  });
  const kept = new Set<string>();
  for (const db of platform.databases) {
    for (const id of ours.length > 0 ? await findRows(platform, db, ours) : []) kept.add(id);
  }
  return ours.filter(({ rowId }) => !kept.has(rowId)).map(({ key }) => key);
}

function candidate(key: string): Candidate[] {
  const [kind = "", projectId, rowId] = key.split("/");
  // A kind that is not known has no owner.
  const table = owners[kind as BlobKind];
  return table && projectId && rowId ? [{ key, table, projectId, rowId }] : [];
}

/** The numbers of those that are here and not being erased. */
async function findProjects({ control }: Platform, ids: Set<string>): Promise<Map<string, number>> {
  if (ids.size === 0) return new Map();
  const rows = await select(
    control,
    sql`SELECT id, number FROM projects WHERE id IN (SELECT value FROM json_each(${JSON.stringify([...ids])}))
      AND deleted_at IS NULL`,
    columns({ id: asText, number: asNumber }),
  );
  return new Map(rows.map(({ id, number }) => [id, number]));
}

async function findRows(
  platform: Platform,
  db: Db,
  candidates: (Candidate & { projectNumber: number })[],
): Promise<string[]> {
  const batch = openBatch({ ...platform, db });
  const found = [...Map.groupBy(candidates, ({ table }) => table)].map(([table, together]) => {
    const items = JSON.stringify(together.map(({ projectNumber, rowId }) => [projectNumber, rowId]));
    const rows = sql`SELECT o.id FROM json_each(${items}) r
      CROSS JOIN ${sql.identifier(table)} o ON o.project_id = r.value->>0 AND o.id = r.value->>1`;
    return batch.add(statement(rows, columns({ id: asText })));
  });
  await batch.commit();
  return found.flatMap(({ all }) => all.map(({ id }) => id));
}
