/**
 * The roles of people, from the fewest to the most rights. An owner has all rights in the whole installation; the other
 * roles apply to one project.
 */
export const roles = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

/** The roles that a member of a project can have. */
export const projectRoles = ["viewer", "editor", "admin"] as const satisfies readonly Role[];
export type ProjectRole = (typeof projectRoles)[number];

/** The rights of a person in one project. */
export interface Rights {
  role: Role;
  /** Can be false only for editors, who then write drafts that others send. */
  maySend: boolean;
  /** Can be false only for viewers: addresses, data and bodies are then masked in every answer. */
  seesPersonalData: boolean;
}

export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
