import { ofCampaigns, type Priority } from "../../../core/mail/priority";
import type { Context } from "../../../platform/context";

/**
 * How many mails of a priority a project sends in a second: campaigns keep to its `sendRatePerSecond`. Null for as many as
 * the provider takes. A project with its own clock has no such pace, because that clock stands still while mail goes out.
 */
export function paceOf({ project }: Pick<Context, "project">, priority: Priority): number | null {
  return priority === ofCampaigns && !project.testClock ? project.sendRatePerSecond : null;
}
