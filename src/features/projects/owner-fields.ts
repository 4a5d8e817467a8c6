import { RoleTooLow } from "../../core/people/errors";
import type { Visitor } from "../../core/people/visitor";
import type { UpdateProject } from "./schema";

/** Settings that belong to the installation and that a project's own admins may not change. */
const ownerFields = [
  "disabled",
  "disabledReason",
  "monthlySendLimit",
  "sendRatePerSecond",
  "sendingPaused",
  "testClock",
] as const;

/** Refuses a change of these settings by an admin who is not an owner. The operator has no session. */
export function refuseOwnerFields(visitor: Visitor | undefined, change: UpdateProject): void {
  const isOwnersChange = ownerFields.some((field) => field in change);
  if (visitor && !visitor.person.isOwner && isOwnersChange) throw new RoleTooLow("admin", { role: "owner" });
}
