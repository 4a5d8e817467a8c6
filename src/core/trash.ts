import { dayMs } from "./time";

/** The types of resources that a deletion puts into the trash, by their names in paths and answers. */
export const trashTypes = ["template", "campaign", "segment", "workflow"] as const;
export type TrashType = (typeof trashTypes)[number];

/** How long a deleted resource can be restored. */
export const keptInTrashMs = 30 * dayMs;

/**
 * The maximum number of entries in the trash of a project. Beyond it, those that were deleted first end early. The
 * sweep deletes what has ended at a limited pace, so entries can wait for it: a deletion is refused only when there are
 * `maxWithEnded`.
 */
export const maxInTrash = 10_000;
export const maxWithEnded = 12_000;

/** Reads a type in a path: `template`, or `templates` as other paths have it. Null for any other text. */
export function readTrashType(text: string): TrashType | null {
  return trashTypes.find((type) => text === type || text === `${type}s`) ?? null;
}
