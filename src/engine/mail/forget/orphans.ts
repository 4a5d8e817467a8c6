import { type SQL, sql } from "drizzle-orm";
import { dayMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { controlShard } from "../../../db/client";
import { asText, columns } from "../../../db/rows";
import { statement } from "../../../db/statement";
import type { BlobKind } from "../../../platform/blobs";
import type { Platform } from "../../../platform/context";
import { openParts, readCursor, storeCursor } from "../../../platform/sweep";
import { whereaboutsById } from "../../projects/whereabouts";

/** The maximum number of pages of files that one tick reads. A page has 1,000 files. */
const pagesPerTick = 20;

/**
 * For each kind of file, the table of the row to which a file belongs. The file's key contains the row's id, which is
 * never reused.
 */
const owners: Partial<Record<BlobKind, string>> = {
  content: "email_contents",
  attachment: "email_contents",
  // A file that several versions share has the id of the first version. That version is kept while anything refers to
  // the file.
  template: "template_versions",
  outbox: "outbox_messages",
  import: "jobs",
  file: "files",
};

/**
 * For some tables, a condition that matches rows `o` that still use their file: a job may have ended without removing
 * its file. In all other tables, every row uses its file.
 */
const isInUse: Record<string, SQL> = { jobs: sql`o.completed_at IS NULL` };

/** A file, and what its key says about it: the table, the public id of the project, and the stored id of the row. */
interface Candidate {
  key: string;
  table: string;
  projectId: string;
  rowId: string;
}

/** A file whose project exists. The row of the file would be in the database `shard`, under the project's number. */
interface Located extends Candidate {
  shard: string;
  number: number;
}

/**
 * Sweeps the bucket for files that have no row, because a request crashed after it had stored the file, and deletes
 * them. The sweep reads the bucket page by page, and begins again at its end. A file is deleted only if three
 * conditions hold:
 * - The file is at least a day old, so its row exists by now or never will.
 * - Its project is in this installation. A bucket may be shared, or outlive its database.
 * - Its row does not exist, or no longer uses the file.
 */
export async function forgetOrphans(platform: Platform): Promise<void> {
  const parts = openParts();
  let removed = 0;
  let cursor = await readCursor(platform, "orphans");
  for (let page = 0; page < pagesPerTick; page++) {
    if (!platform.spent.hasLeft()) break;
    const { files, isLast } = await platform.blobs.listAfter(cursor);
    for (const [shard, candidates] of await findCandidates(platform, files)) {
      await parts.run(async () => {
        const orphans = await findOrphans(platform, shard, candidates);
        await platform.blobs.delete(orphans);
        removed += orphans.length;
      });
    }
    cursor = isLast ? "" : (files.at(-1)?.key ?? "");
    if (cursor === "") break;
  }
  await storeCursor(platform, "orphans", cursor);
  if (removed > 0) platform.log("info", "Files without a row were removed", { files: removed });
  parts.end();
}

/** Finds the old files of existing projects, grouped by the database that would have the row. */
async function findCandidates(
  platform: Platform,
  files: { key: string; putAt: number }[],
): Promise<Map<string, Located[]>> {
  const before = platform.now.getTime() - dayMs;
  const old = files.filter(({ putAt }) => putAt < before).flatMap(({ key }) => candidate(key));
  const projects = await whereaboutsById(
    platform,
    old.map(({ projectId }) => projectId),
  );
  const located = old.flatMap((each) => {
    const project = projects.get(each.projectId);
    // The files of a project that is being erased are deleted by its erasure.
    if (!project || project.isEnding) return [];
    const shard = each.table === "outbox_messages" ? controlShard : project.shard;
    return [{ ...each, shard, number: project.number }];
  });
  return Map.groupBy(located, ({ shard }) => shard);
}

function candidate(key: string): Candidate[] {
  const [kind = "", projectId, rowId] = key.split("/");
  // A file of an unknown kind has no table, and is kept.
  const table = owners[kind as BlobKind];
  return table && projectId && rowId ? [{ key, table, projectId, rowId }] : [];
}

/** Returns the keys of the files that no row uses. */
async function findOrphans(platform: Platform, shard: string, candidates: Located[]): Promise<string[]> {
  const batch = openBatch(platform, platform.databaseOf(shard));
  const found = [...Map.groupBy(candidates, ({ table }) => table)].map(([table, together]) => {
    const items = JSON.stringify(together.map(({ number, rowId }) => [number, rowId]));
    const rows = sql`SELECT o.id FROM json_each(${items}) r
      CROSS JOIN ${sql.identifier(table)} o ON o.project_id = r.value->>0 AND o.id = r.value->>1
      WHERE ${isInUse[table] ?? sql`true`}`;
    return batch.add(statement(rows, columns({ id: asText })));
  });
  await batch.commit();
  const kept = new Set(found.flatMap(({ all }) => all.map(({ id }) => id)));
  return candidates.filter(({ rowId }) => !kept.has(rowId)).map(({ key }) => key);
}
