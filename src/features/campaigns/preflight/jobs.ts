import type { MessageOf } from "../../../core/messages";
import { workOn } from "../../../engine/jobs/work";
import type { Platform } from "../../../platform/context";
import { preflightStep } from "./step";

/** With some hundred recipients each, a few seconds of work. Then other jobs have a turn. */
const stepsPerRun = 5;

/** `campaigns.preflight` */
export function preflightJob(platform: Platform, job: MessageOf<"campaigns.preflight">): Promise<void> {
  return workOn(platform, job, preflightStep, { stepsPerRun });
}
