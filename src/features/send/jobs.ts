import type { MessageOf } from "../../core/messages";
import { deliverEmails } from "../../engine/mail/deliver";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";

/** `mail.deliver`: fresh mail of one project. The mail of a deleted project is gone with it. */
export async function deliverJob(platform: Platform, job: MessageOf<"mail.deliver">): Promise<void> {
  const project = await findProject(platform, job.projectId);
  if (!project) return;
  await deliverEmails(forProject(platform, project), job.priority, job.emailIds, { isAgain: job.again });
}
