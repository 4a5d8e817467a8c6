import { isFull, type StorageCount } from "../../../core/storage";
import { maxRowsPerStatement } from "../../../db/limits";
import { forgetProjects } from "../../../engine/projects/cache";
import type { Platform, Project } from "../../../platform/context";
import { countNext, countSmall, keepCount } from "./tally";

/**
 * The maximum number of windows that one call counts: enough for a list of each kind of files and for a few tables that
 * are not small.
 */
const windowsAtOnce = 12;

/**
 * Counts what a project stores if this takes few statements, and keeps the count. Larger projects are only counted by
 * the sweep: for them, returns the last count.
 */
export async function countNow(platform: Platform, project: Project): Promise<StorageCount | null> {
  const { storage, storageProgress } = project;
  if (storage !== null && sumOf(storage.rows) > maxRowsPerStatement) return storage;
  const progress = await countSmall(platform, project);
  for (let windows = 0; progress.left.length > 0; windows++) {
    if (windows === windowsAtOnce || sumOf(progress.rows) > maxRowsPerStatement) return storage;
    await countNext(platform, project, progress);
  }
  const { rows, bytes } = progress;
  const counted = { rows, bytes, countedAt: platform.now.getTime() };
  // A count that is under way continues, and its result replaces this one.
  if (storageProgress === null) await keepCount(platform, project, progress);
  if (isFull({ ...project, storage: counted }) !== isFull(project)) forgetProjects();
  return counted;
}

function sumOf(rows: StorageCount["rows"]): number {
  return Object.values(rows).reduce((sum, some) => sum + some, 0);
}
