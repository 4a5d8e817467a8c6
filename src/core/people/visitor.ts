import type { Id } from "../ids";
import { minuteMs } from "../time";
import type { Rights } from "./role";

/** A person as a request of their session shows them. */
export interface Visitor {
  sessionId: Id;
  person: { id: Id; email: string; name: string | null; locale: string | null; isOwner: boolean; createdAt: number };
  /** When the person last proved who they are: they signed in, or did so again. */
  provedAt: number;
  /** The person's rights, by the numbers of projects. An owner needs none. */
  memberships: ReadonlyMap<number, Rights>;
}

const proofMs = 10 * minuteMs;

/** Returns the rights of a visitor in a project; null when the project is none of theirs. */
export function rightsIn({ person, memberships }: Visitor, projectNumber: number): Rights | null {
  if (person.isOwner) return { role: "owner", maySend: true, seesPersonalData: true };
  return memberships.get(projectNumber) ?? null;
}

export function hasProof({ provedAt }: Visitor, now: number): boolean {
  return now - provedAt < proofMs;
}

/** The name of a person for others. */
export function shownName({ name, email }: { name: string | null; email: string }): string {
  return name ?? email;
}
