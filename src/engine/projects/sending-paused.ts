import type { Context, Platform, Project } from "../../platform/context";
import { findProject } from "./project";

/** The reason and the time of the pause of the project's marketing email. */
export interface Pause {
  reason: string;
  at: number;
}

/** Returns the pause of a project's marketing email; null when there is none. */
export function pauseOf({ sendingPausedReason: reason, sendingPausedAt: at }: Project): Pause | null {
  return reason === null || at === null ? null : { reason, at };
}

/**
 * Whether marketing email is paused now, for work that takes a while. Looks the project up again, in a cache that is at
 * most 30 seconds old. The isolate that paused the project knows it at once.
 */
export async function isMarketingPaused(platform: Platform, { number }: Context["project"]): Promise<boolean> {
  const project = await findProject({ ...platform, now: platform.realClock() }, number);
  return project !== null && pauseOf(project) !== null;
}
