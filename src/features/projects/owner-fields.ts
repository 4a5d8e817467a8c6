import { RoleTooLow } from "../../core/people/errors";
import type { Visitor } from "../../core/people/visitor";
import type { UpdateProject } from "./schema";

/** Settings that belong to the installation: a project's own admins are not allowed to change them. */
const ownerFields = [
  "disabled",
  "disabledReason",
  "monthlySendLimit",
  "sendRatePerSecond",
  "sendingPaused",
  "testClock",
] as const;

/**
 * Throws RoleTooLow if an admin who is not an owner changes one of `ownerFields`. The operator may change them: a call
 * of the operator has no session, so `visitor` is undefined.
 */
export function refuseOwnerFields(visitor: Visitor | undefined, change: UpdateProject): void {
  const isOwnersChange = ownerFields.some((field) => field in change);
  if (visitor && !visitor.person.isOwner && isOwnersChange) throw new RoleTooLow("admin", { role: "owner" });
}
