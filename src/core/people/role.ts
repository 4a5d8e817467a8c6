/** The roles of people, from the least to the most rights. An owner has the whole installation; the other roles are of one project. */
export const roles = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

/** The roles that a member of a project can have. */
export const projectRoles = ["viewer", "editor", "admin"] as const satisfies readonly Role[];
export type ProjectRole = (typeof projectRoles)[number];

/** The rights of a person in one project. */
export interface Rights {
  role: Role;
  /** Only editors can be without it: they make drafts, and others send them. */
  maySend: boolean;
  /** Only viewers can be without it: addresses, data and bodies are then masked in every answer. */
  seesPersonalData: boolean;
}

export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
