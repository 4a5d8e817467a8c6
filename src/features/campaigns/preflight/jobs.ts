import type { MessageOf } from "../../../core/messages";
import { workOn } from "../../../engine/jobs/work";
import type { Platform } from "../../../platform/context";
import { preflightStep } from "./step";

/** With a thousand recipients each, some ten seconds of work. */
const stepsPerRun = 20;

/** `campaigns.preflight` */
export function preflightJob(platform: Platform, job: MessageOf<"campaigns.preflight">): Promise<void> {
  return workOn(platform, job, preflightStep, { stepsPerRun });
}
