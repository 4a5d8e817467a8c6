import { sql } from "drizzle-orm";
import { asNumber, asText, columns, orNull } from "../../../db/rows";
import { select } from "../../../db/statement";
import type { Platform } from "../../../platform/context";
import { openParts } from "../../../platform/sweep";
import { countNext, countSmall, keepCount, type Progress } from "./tally";

const readDue = columns({
  number: asNumber,
  id: asText,
  shard: asText,
  maxStorageMb: asNumber,
  storageProgress: orNull(asText),
});
type Due = ReturnType<typeof readDue>;

/** The maximum number of projects that one tick counts. Most projects take one statement. */
const maxProjects = 300;

/**
 * The maximum number of windows that one tick counts, over all projects: less than half of the statements that an
 * invocation can run.
 */
const windowsPerTick = 300;

/**
 * Counts, in a sweep, what projects store. Reads each row once, window by window, and stores its progress, so that the
 * next tick can continue, also after a crash. Writes to a project do not update its count, so a count may miss rows
 * that are written or deleted while it runs; the next count finds them.
 */
export async function countStorage(platform: Platform): Promise<void> {
  const due = await select(
    platform.control,
    sql`SELECT number, id, shard, max_storage_mb, storage_progress FROM projects INDEXED BY ix_projects_storage
      WHERE storage_due_at <= ${platform.now.getTime()} AND deleted_at IS NULL
        AND shard IN (SELECT value FROM json_each(${JSON.stringify(platform.shards)}))
      ORDER BY storage_due_at LIMIT ${maxProjects}`,
    readDue,
  );
  const failing = openParts();
  let left = windowsPerTick;
  for (const project of due) {
    if (left <= 0 || !platform.spent.hasLeft()) break;
    await failing.run(async () => {
      left -= await countSome(platform, project, left);
    });
  }
  failing.end();
}

/** Counts the next windows of a project, up to the limit. Returns how many windows it has counted. */
async function countSome(platform: Platform, project: Due, limit: number): Promise<number> {
  const { storageProgress: before } = project;
  const progress = before === null ? await countSmall(platform, project) : readProgress(before);
  let windows = 1;
  while (progress.left.length > 0 && windows < limit && platform.spent.hasLeft()) {
    windows += 1;
    await countNext(platform, project, progress);
  }
  await keepCount(platform, project, progress);
  return windows;
}

/** Reads a stored progress. It needs no check, because `keepCount` has written it. */
function readProgress(written: string): Progress {
  return JSON.parse(written);
}
