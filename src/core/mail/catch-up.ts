import type { Account, Moment } from "./account";
import { judge } from "./permits";
import { ofCampaigns, type Priority } from "./priority";
import { takeRested } from "./project-pace";
import { join } from "./ring";

/** Applies what became due since the last call: projects whose wait is over join the ring, and lost permits end. */
export function catchUp(account: Account, moment: Moment): void {
  for (const project of takeRested(account.paces, moment.now)) join(account.ring, project, ofCampaigns, "beginning");
  endLostPermits(account, moment);
}

/** Adds a project to the ring. Campaign mail that waits for its project's pace joins later, when the pace allows it. */
export function addToRing(account: Account, project: number, priority: Priority, from: "cursor" | "beginning"): void {
  if (priority === ofCampaigns && account.paces.parked.has(project)) return;
  join(account.ring, project, priority, from);
}

/**
 * Ends permits whose consumer is dead. The mail may have killed the consumer, so the project becomes suspect. A probe
 * whose permit is lost counts as failed.
 */
function endLostPermits(account: Account, moment: Moment): void {
  for (const [id, permit] of account.permits) {
    if (permit.until > moment.now) continue;
    account.permits.delete(id);
    judge(account, permit, { kind: permit.isProbe ? "failed" : "unused", calls: 1 }, moment);
    if (!permit.isDrainer) continue;
    addToRing(account, permit.project, permit.priority, "beginning");
    const waiting = account.ring.projects.get(permit.project);
    if (waiting) waiting.isSuspect = true;
  }
}
