import type { MessageOf } from "../../core/messages";
import { deliverFresh } from "../../engine/mail/deliver/deliver-fresh";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";

/**
 * Handles several `mail.deliver` messages, each about fresh mail of one project. Returns the error of each message, or
 * null for a message that succeeded.
 */
export async function deliverJobs(platform: Platform, jobs: readonly MessageOf<"mail.deliver">[]): Promise<unknown[]> {
  const found = await Promise.allSettled(jobs.map(({ projectId }) => findProject(platform, projectId)));
  const outcomes = found.map((one): unknown => (one.status === "rejected" ? one.reason : null));
  const fresh = jobs.flatMap(({ priority, emailIds, again = false }, index) => {
    const one = found[index];
    // The mail of a deleted project is deleted with the project.
    if (one?.status !== "fulfilled" || one.value === null) return [];
    return [{ index, mail: { ctx: forProject(platform, one.value), priority, emailIds, isAgain: again } }];
  });
  const errors = await deliverFresh(fresh.map(({ mail }) => mail));
  for (const [failed, { index }] of fresh.entries()) outcomes[index] = errors[failed];
  return outcomes;
}

/** Handles `mail.deliver`. */
export async function deliverJob(platform: Platform, job: MessageOf<"mail.deliver">): Promise<void> {
  const [error] = await deliverJobs(platform, [job]);
  if (error !== null) throw error;
}
