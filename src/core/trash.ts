import { dayMs } from "./time";

/** The types of resources that a deletion puts into the trash, by their names in paths and answers. */
export const trashTypes = ["template", "campaign", "segment", "workflow"] as const;
export type TrashType = (typeof trashTypes)[number];

/** How long a deleted resource can be restored. */
export const keptInTrashMs = 30 * dayMs;

export function isTrashType(type: string): type is TrashType {
  return trashTypes.some((known) => known === type);
}
