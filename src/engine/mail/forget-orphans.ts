import { sql } from "drizzle-orm";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { controlShard } from "../../db/client";
import { asText, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { BlobKind } from "../../platform/blobs";
import type { Platform } from "../../platform/context";
import { keepPlace, openParts, readPlace } from "../../platform/sweep";
import { whereaboutsById } from "../projects/whereabouts";

/** Files are looked at in pages of 1,000. */
const pagesPerTick = 20;

/** The table of the row that a file was put down for. Its key says the row's id, which is never used again. */
const owners: Partial<Record<BlobKind, string>> = {
  content: "email_contents",
  attachment: "email_contents",
  // A body that several versions share goes by the first of them, and versions stay as long as their project.
  template: "template_versions",
  outbox: "outbox_messages",
  import: "jobs",
};

/** A file as its key says it: of a project by its public id, and of a row by its id as it is kept. */
interface Candidate {
  key: string;
  table: string;
  projectId: string;
  rowId: string;
}

/** One whose project is here: its row would be in this database, under the project's number. */
interface Located extends Candidate {
  shard: string;
  number: number;
}

/**
 * The sweep under requests that died between a file and its row, over all projects: a page at a time, on and on through
 * the bucket. A file goes only if it is a day old, by when its row is there or will never be; if its project is one of
 * ours, as a bucket may be shared, or outlive its database; and if the row is not where it would be.
 */
export async function forgetOrphans(platform: Platform): Promise<void> {
  const parts = openParts();
  let removed = 0;
  let place = await readPlace(platform, "orphans");
  for (let page = 0; page < pagesPerTick; page++) {
    const { files, isLast } = await platform.blobs.listAfter(place);
    for (const [shard, candidates] of await findCandidates(platform, files)) {
      await parts.run(async () => {
        const orphans = await findOrphans(platform, shard, candidates);
        await platform.blobs.delete(orphans);
        removed += orphans.length;
      });
    }
    place = isLast ? "" : (files.at(-1)?.key ?? "");
    if (place === "") break;
  }
  await keepPlace(platform, "orphans", place);
  if (removed > 0) platform.log("info", "Files without a row were removed", { files: removed });
  parts.end();
}

/** The old files of projects that are here, by the database that would have the row. */
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
    // An erasure looks after the files of its project.
    if (!project || project.isEnding) return [];
    const shard = each.table === "outbox_messages" ? controlShard : project.shard;
    return [{ ...each, shard, number: project.number }];
  });
  return Map.groupBy(located, ({ shard }) => shard);
}

function candidate(key: string): Candidate[] {
  const [kind = "", projectId, rowId] = key.split("/");
  // A kind that is not known has no owner.
  const table = owners[kind as BlobKind];
  return table && projectId && rowId ? [{ key, table, projectId, rowId }] : [];
}

/** The keys of those without a row. */
async function findOrphans(platform: Platform, shard: string, candidates: Located[]): Promise<string[]> {
  const batch = openBatch({ ...platform, db: platform.databaseOf(shard) });
  const found = [...Map.groupBy(candidates, ({ table }) => table)].map(([table, together]) => {
    const items = JSON.stringify(together.map(({ number, rowId }) => [number, rowId]));
    const rows = sql`SELECT o.id FROM json_each(${items}) r
      CROSS JOIN ${sql.identifier(table)} o ON o.project_id = r.value->>0 AND o.id = r.value->>1`;
    return batch.add(statement(rows, columns({ id: asText })));
  });
  await batch.commit();
  const kept = new Set(found.flatMap(({ all }) => all.map(({ id }) => id)));
  return candidates.filter(({ rowId }) => !kept.has(rowId)).map(({ key }) => key);
}
