import { limitBytes, noRows, totalBytes } from "../../../core/storage";
import { iso } from "../../../core/time";
import type { Platform } from "../../../platform/context";
import { getProject } from "../project";
import { countNow } from "./count-now";

/** Returns the rows and bytes of a project: counted now if the project is small, and otherwise from its last count. */
export async function getUsage(platform: Platform, id: string) {
  const project = await getProject(platform, id);
  const { shard, maxStorageMb } = project;
  const storage = await countNow(platform, project);
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
