import { limitBytes, noRows, totalBytes } from "../../../core/storage";
import { iso } from "../../../core/time";
import type { Project } from "../../../platform/context";

/** Returns the rows and bytes of a project, by its last count. */
export function usageJson({ shard, maxStorageMb, storage }: Project) {
  const { rows, bytes } = storage ?? { rows: noRows(), bytes: noRows() };
  return {
    database: shard,
    rows,
    bytes,
    totalBytes: totalBytes({ bytes }),
    limitBytes: limitBytes(maxStorageMb),
    countedAt: storage && iso(storage.countedAt),
  };
}
