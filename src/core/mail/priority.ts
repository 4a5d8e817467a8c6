import type { Lane } from "./message";

/**
 * The order of a project's mail: 0 for TRANSACTIONAL mail of single calls and workflows, 1 for all other mail of single
 * calls and workflows, 2 for campaigns of any type.
 */
export type Priority = 0 | 1 | 2;

export const priorities = [0, 1, 2] as const;

export const ofCampaigns = 2;

/**
 * Returns the provider's lane for an email. Lanes pause independently, and campaigns leave a share of the pace to
 * transactional mail.
 */
export function laneOf(priority: Priority): Lane {
  return priority === 0 ? "transactional" : "campaign";
}
