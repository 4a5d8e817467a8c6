import { Refusal } from "./errors";
import { isJsonObject } from "./json";
import { howToShrink, isFull, largestKinds, type StorageCount, type Storing } from "./storage";

const megabyte = 1024 * 1024;

/** The project has reached its `maxStorageMb`. */
export class StorageLimitReached extends Refusal {
  constructor(maxStorageMb: number, storage: StorageCount) {
    const largest = largestKinds(storage);
    const named = largest.map(({ kind, bytes }) => `${kind} (${Math.ceil(bytes / megabyte)} MB)`).join(", ");
    super(
      `This project has reached its limit of ${maxStorageMb} MB. Most space is used by ${named}. Nothing was added.`,
      {
        suggestion: `To make room, ${largest.map(({ kind }) => howToShrink[kind]).join("; ")}. Or ask the operator for a higher maxStorageMb. Deleted data counts until the next count, for an hour or two.`,
        details: { maxStorageMb, largest, countedAt: new Date(storage.countedAt).toISOString() },
      },
    );
  }
}

/** Throws StorageLimitReached when the project is full. */
export function refuseWhenFull(project: Storing): void {
  if (project.storage !== null && isFull(project)) throw new StorageLimitReached(project.maxStorageMb, project.storage);
}

/**
 * Returns false for a call that opts a contact out, and true for all others. Opt-outs are accepted even when the
 * project is full.
 */
export function isNoOptOut(body: unknown): boolean {
  return !(isJsonObject(body) && body.subscribed === false);
}

/** Whether a change of a contact adds to its data. A change that only removes keys makes room instead. */
export function addsData(body: unknown): boolean {
  if (!isJsonObject(body) || !isJsonObject(body.data)) return false;
  return isNoOptOut(body) && Object.values(body.data).some((value) => value !== null);
}
