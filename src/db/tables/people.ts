import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ProjectRole } from "../../core/people/role";
import { createdAt, flag, id, projectId, time } from "../columns";

// People who use the console. All of these tables are in the control database.

export const people = sqliteTable(
  "people",
  {
    id: id().primaryKey(),
    /** Normalized, like all stored addresses. */
    email: text().notNull(),
    name: text(),
    locale: text(),
    /** An owner of the installation needs no membership. */
    isOwner: flag().notNull().default(false),
    createdAt: createdAt(),
    lastSeenAt: time(),
  },
  (table) => [
    uniqueIndex("ux_people_email").on(table.email),
    index("ix_people_owners").on(table.id).where(sql`is_owner`),
  ],
);
export type PersonRow = typeof people.$inferSelect;

export const memberships = sqliteTable(
  "memberships",
  {
    personId: id().notNull(),
    projectId: projectId(),
    role: text().$type<ProjectRole>().notNull(),
    maySend: flag().notNull().default(true),
    seesPersonalData: flag().notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.personId, table.projectId] }),
    uniqueIndex("ux_memberships_project").on(table.projectId, table.personId),
  ],
);
export type MembershipRow = typeof memberships.$inferSelect;

export const sessions = sqliteTable(
  "sessions",
  {
    id: id().primaryKey(),
    /** The SHA-256 of the cookie. */
    hash: text().notNull(),
    personId: id().notNull(),
    method: text({ enum: ["link", "code", "passkey", "access"] }).notNull(),
    /** Identifies the link or the challenge that opened the session; neither can open a second one. */
    openedBy: text().notNull(),
    userAgent: text(),
    createdAt: createdAt(),
    /** When the session was last used, accurate to the hour. */
    seenAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex("ux_sessions_hash").on(table.hash),
    uniqueIndex("ux_sessions_opened_by").on(table.openedBy),
    index("ix_sessions_person").on(table.personId),
    index("ix_sessions_expiry").on(table.expiresAt),
  ],
);
export type SessionRow = typeof sessions.$inferSelect;

/**
 * Links that sign somebody in once. Only hashes of links and codes are stored, so a repeated mail contains a new link
 * and a new code.
 */
export const signInLinks = sqliteTable(
  "sign_in_links",
  {
    id: id().primaryKey(),
    /**
     * `mail` is requested on the sign-in page. `console` is printed in a terminal, and makes its reader an owner.
     * `invitation` is mailed to an invited person.
     */
    kind: text({ enum: ["mail", "console", "invitation"] }).notNull(),
    /** Null for a printed link whose reader enters an address. */
    email: text(),
    /** Null while the mail has not been sent. */
    hash: text(),
    codeHash: text(),
    /** The origin of a mailed link. */
    origin: text(),
    /** Identifies the browser that requested the link. Null for a printed link. */
    browserHash: text(),
    /** The caller's network. The number of links per network is limited. */
    network: text(),
    /** The project to which a person is invited; null for an invitation to the installation. */
    invitedTo: integer(),
    /** The inviting person's name in the mail; null for the operator. */
    invitedBy: text(),
    /** How many times a code was tried. */
    tries: integer().notNull().default(0),
    /** When the mail is next sent or retried; null when there is nothing to send. */
    dueAt: time(),
    attempts: integer().notNull().default(0),
    usedAt: time(),
    createdAt: createdAt(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex("ux_sign_in_links_hash").on(table.hash),
    index("ix_sign_in_links_email").on(table.email, table.createdAt),
    index("ix_sign_in_links_network").on(table.network, table.createdAt),
    index("ix_sign_in_links_browser").on(table.browserHash),
    index("ix_sign_in_links_due").on(table.dueAt).where(sql`due_at IS NOT NULL`),
    index("ix_sign_in_links_expiry").on(table.expiresAt),
    index("ix_sign_in_links_invitations").on(table.invitedTo, table.createdAt).where(sql`kind = 'invitation'`),
  ],
);
export type SignInLinkRow = typeof signInLinks.$inferSelect;

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The authenticator's id for the credential, in base64url. */
    credentialId: text().primaryKey(),
    id: id().notNull(),
    personId: id().notNull(),
    /** A COSE key, in base64url. */
    publicKey: text().notNull(),
    /**
     * The number of times that the passkey was used, as its authenticator counts; 0 if the authenticator does not
     * count.
     */
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    name: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: time(),
    /** Whether the authenticator is able to back up the passkey. */
    isBackupEligible: flag().notNull().default(false),
    /** Whether the passkey was backed up when it was last used. */
    isBackedUp: flag().notNull().default(false),
  },
  (table) => [index("ix_passkeys_person").on(table.personId)],
);
export type PasskeyRow = typeof passkeys.$inferSelect;

/**
 * Challenges that a passkey has answered, kept until they expire. An unanswered challenge needs no row, because
 * challenges are sealed.
 */
export const usedChallenges = sqliteTable(
  "used_challenges",
  {
    /** The SHA-256 of the challenge. */
    hash: text().primaryKey(),
    expiresAt: integer().notNull(),
  },
  (table) => [index("ix_used_challenges_expiry").on(table.expiresAt)],
);
