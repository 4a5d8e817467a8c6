import { Conflict, NotFound, Unavailable } from "../../core/errors";
import { publicId } from "../../core/ids";
import type { MessageOf } from "../../core/messages";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";
import { checkDomain } from "./check";

/**
 * `domains.check`: checks up to twenty due domains. A check without a result changes nothing, and its domain is due
 * again later. A failed check, or a domain that was removed or taken, does not stop the checks of the other domains.
 */
export async function checkDomains(platform: Platform, job: MessageOf<"domains.check">): Promise<void> {
  for (const { projectId, domainId } of job.domains) {
    const project = await findProject(platform, projectId);
    if (!project) continue;
    try {
      await checkDomain(forProject(platform, project), domainId);
    } catch (error) {
      if (!isExpected(error)) throw error;
      platform.log("info", "A domain's check had no result", {
        domainId: publicId(domainId),
        projectId: project.id,
        reason: reasonOf(error),
      });
    }
  }
}

function isExpected(error: unknown): error is Unavailable | NotFound | Conflict {
  return error instanceof Unavailable || error instanceof NotFound || error instanceof Conflict;
}
