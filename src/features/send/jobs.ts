import type { Job } from "../../core/jobs";
import { deliverEmails } from "../../engine/mail/deliver";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";

/** `mail.deliver`: transactional mail. A project that is gone has taken its mail with it. */
export async function deliverJob(platform: Platform, job: Extract<Job, { type: "mail.deliver" }>): Promise<void> {
  const project = await findProject(platform, job.projectId);
  if (!project) return;
  await deliverEmails(forProject(platform, project), "transactional", job.emailIds, { isAgain: job.again });
}
