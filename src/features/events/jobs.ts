import type { MessageOf } from "../../core/messages";
import { dispatchEvents } from "../../engine/events/dispatch";
import type { EventListener } from "../../engine/events/listener";
import { workOn } from "../../engine/jobs/work";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";
import { deleteStep } from "./delete-step";

/** `events.dispatch` */
export async function dispatchEventsJob(
  platform: Platform,
  job: MessageOf<"events.dispatch">,
  listeners: readonly EventListener[],
): Promise<void> {
  const project = await findProject(platform, job.projectId);
  if (project) await dispatchEvents(forProject(platform, project), job.eventIds, listeners);
}

/** Steps are small: a run of 100 takes seconds. */
const stepsPerRun = 100;

/** `events.delete` */
export async function deleteEventsJob(platform: Platform, job: MessageOf<"events.delete">): Promise<void> {
  await workOn(platform, job, deleteStep, { stepsPerRun });
}
