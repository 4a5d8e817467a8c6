import type { Id } from "../ids";
import { minuteMs } from "../time";
import type { Rights } from "./role";

/** A person, identified by the session of a request. */
export interface Visitor {
  sessionId: Id;
  person: { id: Id; email: string; name: string | null; locale: string | null; isOwner: boolean; createdAt: number };
  /**
   * When the person last proved who they are, by signing in or by a repeated proof. Null after a sign-in by Cloudflare
   * Access, which may have checked the person hours ago.
   */
  provedAt: number | null;
  /** The person's rights, by project number. An owner needs no entries. */
  memberships: ReadonlyMap<number, Rights>;
}

const proofMs = 10 * minuteMs;

/** Returns the rights of a visitor in a project; null when the visitor is not a member. */
export function rightsIn({ person, memberships }: Visitor, projectNumber: number): Rights | null {
  if (person.isOwner) return { role: "owner", maySend: true, seesPersonalData: true };
  return memberships.get(projectNumber) ?? null;
}

export function hasProof({ provedAt }: Visitor, now: number): boolean {
  return provedAt !== null && now - provedAt < proofMs;
}

/** Returns the name that others see for a person. */
export function shownName({ name, email }: { name: string | null; email: string }): string {
  return name ?? email;
}
