import type { MessageOf } from "../../core/messages";
import { recordHits } from "../../engine/mail/report/hits";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";

/** Handles `tracking.record`. The mail of a deleted project is deleted, and its hits are dropped. */
export async function recordHitsJob(platform: Platform, job: MessageOf<"tracking.record">): Promise<void> {
  const project = await findProject(platform, job.projectId);
  if (project) await recordHits(forProject(platform, project), job.hits);
}
