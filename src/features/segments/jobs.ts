import type { MessageOf } from "../../core/messages";
import { workOn } from "../../engine/jobs/work";
import type { Platform } from "../../platform/context";
import { computeStep, stepsPerRun } from "./compute-step";
import { countStep } from "./count";
import { deleteMembersStep } from "./delete-members";

/** `segments.compute` */
export function computeSegmentJob(platform: Platform, job: MessageOf<"segments.compute">): Promise<void> {
  return workOn(platform, job, computeStep, { stepsPerRun });
}

/** `segments.count` */
export function countSegmentJob(platform: Platform, job: MessageOf<"segments.count">): Promise<void> {
  return workOn(platform, job, countStep);
}

/**
 * `segments.delete-members`: deletes the members of a deleted segment. The job is never given up, because no call could
 * start it again.
 */
export function deleteMembersJob(platform: Platform, job: MessageOf<"segments.delete-members">): Promise<void> {
  return workOn(platform, job, deleteMembersStep, { release: null });
}
