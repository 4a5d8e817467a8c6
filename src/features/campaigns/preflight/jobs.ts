import type { MessageOf } from "../../../core/messages";
import { workOn } from "../../../engine/jobs/work";
import type { Platform } from "../../../platform/context";
import { preflightStep } from "./step";

/** With a thousand recipients each, some seconds of work. Then other jobs have a turn. */
const stepsPerRun = 5;

/** `campaigns.preflight` */
export function preflightJob(platform: Platform, job: MessageOf<"campaigns.preflight">): Promise<void> {
  return workOn(platform, job, preflightStep, { stepsPerRun });
}
