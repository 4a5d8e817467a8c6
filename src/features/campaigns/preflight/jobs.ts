import type { MessageOf } from "../../../core/messages";
import { workOn } from "../../../engine/jobs/work";
import type { Platform } from "../../../platform/context";
import { preflightStep } from "./step";

/** A second of work. Then other jobs have a turn, of which only a few are at work at a time. */
const stepsPerRun = 1;

/** `campaigns.preflight` */
export function preflightJob(platform: Platform, job: MessageOf<"campaigns.preflight">): Promise<void> {
  return workOn(platform, job, preflightStep, { stepsPerRun });
}
