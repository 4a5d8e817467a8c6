import { ofCampaigns, type Priority } from "../../../core/mail/priority";
import type { Context } from "../../../platform/context";

/**
 * Returns how many mails of a priority a project sends per second: campaigns have the project's `sendRatePerSecond`.
 * Null means as many as the provider accepts. A project with its own clock has no such pace, because its clock stands
 * still while mail is sent.
 */
export function paceOf({ project }: Pick<Context, "project">, priority: Priority): number | null {
  return priority === ofCampaigns && !project.testClock ? project.sendRatePerSecond : null;
}
