import type { Lane } from "./message";

/**
 * The order of a project's mail: 0 is TRANSACTIONAL mail of single calls and workflows, 1 all other mail of theirs, 2 is
 * campaigns of any type.
 */
export type Priority = 0 | 1 | 2;

export const priorities = [0, 1, 2] as const;

export const ofCampaigns = 2;

/** The provider's lane of a mail. Lanes pause apart, and campaigns leave a share of the pace to transactional mail. */
export function laneOf(priority: Priority): Lane {
  return priority === 0 ? "transactional" : "campaign";
}
