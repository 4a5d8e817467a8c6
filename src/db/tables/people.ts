import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ProjectRole } from "../../core/people/role";
import { createdAt, flag, id, projectId, time } from "../columns";

// People who use the console. All of it is in the control database.

export const people = sqliteTable(
  "people",
  {
    id: id().primaryKey(),
    /** Normalized, as in all our rows. */
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
    method: text({ enum: ["link", "code", "passkey"] }).notNull(),
    /** Names the link or the challenge that opened it. Neither opens a second one. */
    openedBy: text().notNull(),
    userAgent: text(),
    createdAt: createdAt(),
    /** Within an hour. */
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
 * Links that sign somebody in, each once. Only hashes of what opens them are stored: when a mail is sent again, it has a
 * new link and a new code.
 */
export const signInLinks = sqliteTable(
  "sign_in_links",
  {
    id: id().primaryKey(),
    /**
     * `mail` is asked for on the page. `console` is printed in a terminal, and makes its reader an owner. `invitation` is
     * mailed to a person whom somebody invited.
     */
    kind: text({ enum: ["mail", "console", "invitation"] }).notNull(),
    /** Null for a printed link whose reader says who they are. */
    email: text(),
    /** Null while the mail has not been sent. */
    hash: text(),
    codeHash: text(),
    /** Where the link of a mail leads. */
    origin: text(),
    /** The browser that asked. A printed link has none. */
    browserHash: text(),
    /** The network of the caller, for its limit. */
    network: text(),
    /** The project that a person is invited to; null for one who is invited to the installation. */
    invitedTo: integer(),
    /** How the mail names the person who invites; null for the operator. */
    invitedBy: text(),
    /** How often a code was tried. */
    tries: integer().notNull().default(0),
    /** When the mail is sent, or sent again; null when nothing is to be sent. */
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
    /** As the authenticator names it, in base64url. */
    credentialId: text().primaryKey(),
    id: id().notNull(),
    personId: id().notNull(),
    /** COSE, in base64url. */
    publicKey: text().notNull(),
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    name: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: time(),
  },
  (table) => [index("ix_passkeys_person").on(table.personId)],
);
export type PasskeyRow = typeof passkeys.$inferSelect;

/**
 * Challenges that a passkey has answered, until they are too old to count. A challenge is signed, so that one nobody has
 * answered needs no row.
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
