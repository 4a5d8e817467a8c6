import { ofCampaigns, type Priority } from "../../../core/mail/priority";
import type { Context } from "../../../platform/context";

/**
 * Returns how many mails of a priority a project sends per second. Null means as many as the provider accepts. Only
 * campaign mail has such a limit: the project's `sendRatePerSecond`. A project with a test clock has no limit, because
 * its clock stands still while mail is sent.
 */
export function paceOf({ project }: Pick<Context, "project">, priority: Priority): number | null {
  return priority === ofCampaigns && !project.testClock ? project.sendRatePerSecond : null;
}
