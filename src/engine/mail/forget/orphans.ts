import { type SQL, sql } from "drizzle-orm";
import { campaignOfFile } from "../../../core/campaigns/body-file";
import { dayMs, hourMs } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { controlShard } from "../../../db/client";
import { isBackedUp } from "../../../db/open-copies";
import { asText, columns } from "../../../db/rows";
import { statement } from "../../../db/statement";
import type { BlobKind } from "../../../platform/blobs";
import type { Platform } from "../../../platform/context";
import { openParts, readCursor, storeCursor } from "../../../platform/sweep";
import { whereaboutsById } from "../../projects/whereabouts";

/** The maximum number of pages of files that one tick reads. A page has 1,000 files. */
const pagesPerTick = 20;

/** The row to which a file belongs. The file's key contains the row's id, which is never reused. */
interface Owner {
  table: string;
  /** Returns the stored id of the row, from the key's part after the project. Null for a file that is kept. */
  rowId?(name: string): string | null;
  /** Matches rows `o` that use their file `r`, which is `[project, id of the row, key]`. All do where it is left out. */
  uses?(platform: Platform): SQL;
  /** Matches files `r` that other rows use. */
  isUsedElsewhere?: SQL;
}

/**
 * How long a campaign keeps the files of bodies that were replaced: a call that has read the campaign may still read
 * them.
 */
const replacedForMs = hourMs;

const owners: Partial<Record<BlobKind, Owner>> = {
  content: { table: "email_contents" },
  attachment: { table: "email_contents" },
  // A file that several versions share has the id of the first version. That version is kept while anything refers to
  // the file.
  template: { table: "template_versions" },
  campaign: {
    table: "campaigns",
    rowId: campaignOfFile,
    uses: ({ now }) => sql`(o.updated_at > ${now.getTime() - replacedForMs} OR o.body_key = r.value->>2
      OR EXISTS (SELECT 1 FROM json_each(o.variants) v WHERE v.value->>'bodyKey' = r.value->>2))`,
    isUsedElsewhere: sql`(EXISTS (SELECT 1 FROM trash b
        WHERE b.project_id = r.value->>0 AND b.type = 'campaign' AND b.id = r.value->>1)
      OR EXISTS (SELECT 1 FROM email_contents c INDEXED BY ix_email_contents_body
        WHERE c.project_id = r.value->>0 AND c.body_key = r.value->>2)
      OR ${isBackedUp(sql`r.value->>0`)})`,
  },
  outbox: { table: "outbox_messages" },
  // A job may have ended without removing its file.
  import: { table: "jobs", uses: () => sql`o.completed_at IS NULL` },
  file: { table: "files" },
};

/** A file, and what its key says about it: its owner, the public id of the project, and the stored id of the row. */
interface Candidate {
  key: string;
  owner: Owner;
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
    const shard = each.owner.table === "outbox_messages" ? controlShard : project.shard;
    return [{ ...each, shard, number: project.number }];
  });
  return Map.groupBy(located, ({ shard }) => shard);
}

function candidate(key: string): Candidate[] {
  const [kind = "", projectId, name] = key.split("/");
  // A file of an unknown kind has no owner, and is kept.
  const owner = owners[kind as BlobKind];
  if (!owner || !projectId || !name) return [];
  const rowId = owner.rowId ? owner.rowId(name) : name;
  return rowId ? [{ key, owner, projectId, rowId }] : [];
}

/** Returns the keys of the files that no row uses. */
async function findOrphans(platform: Platform, shard: string, candidates: Located[]): Promise<string[]> {
  const batch = openBatch(platform, platform.databaseOf(shard));
  const found = [...Map.groupBy(candidates, ({ owner }) => owner)].map(([owner, together]) => {
    const items = JSON.stringify(together.map(({ number, rowId, key }) => [number, rowId, key]));
    const { table, uses, isUsedElsewhere = sql`false` } = owner;
    const rows = sql`SELECT r.value->>2 AS key FROM json_each(${items}) r
      WHERE EXISTS (SELECT 1 FROM ${sql.identifier(table)} o
        WHERE o.project_id = r.value->>0 AND o.id = r.value->>1 AND ${uses?.(platform) ?? sql`true`}) OR ${isUsedElsewhere}`;
    return batch.add(statement(rows, columns({ key: asText })));
  });
  await batch.commit();
  const kept = new Set(found.flatMap(({ all }) => all.map(({ key }) => key)));
  return candidates.filter(({ key }) => !kept.has(key)).map(({ key }) => key);
}
