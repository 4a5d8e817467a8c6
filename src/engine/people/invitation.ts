import { type SQL, sql } from "drizzle-orm";
import { RateLimited } from "../../core/errors";
import { type Id, newId } from "../../core/ids";
import { invitationMs } from "../../core/people/session";
import { shownName, type Visitor } from "../../core/people/visitor";
import { hourMs, minuteMs, secondMs } from "../../core/time";
import type { Batch } from "../../db/batch";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { mailNewLink } from "./mail-links";
import { mailIsOff, type OwnLinks } from "./own-mail";

/** The maximum number of invitations per hour to one project, or to the installation itself. */
const maxInvitationsPerHour = 50;

interface Inviting {
  email: string;
  /** The project's number; null for an invitation to the installation. */
  to: number | null;
  by: Visitor | undefined;
  links: OwnLinks;
}

/**
 * Adds an invitation to the batch that gives a person access, at most fifty an hour. The batch recognises its own
 * commit by the invitation's row. When links are not mailed, the row only counts toward the limit. Returns the row's
 * id.
 */
export function addInvitation(batch: Batch, { now }: Platform, { email, to, by, links }: Inviting): Id {
  const [id, at] = [newId(), now.getTime()];
  const isMailed = "origin" in links;
  batch.recognise(sql`EXISTS (SELECT 1 FROM sign_in_links WHERE id = ${id})`);
  batch.guard(isBelowLimit(to, at), () => tooManyInvitations());
  batch.add(
    statement(sql`INSERT INTO sign_in_links
        (id, kind, email, origin, invited_to, invited_by, due_at, created_at, expires_at)
      VALUES (${id}, 'invitation', ${email}, ${isMailed ? links.origin : null}, ${to}, ${by ? shownName(by.person) : null},
        ${isMailed ? at + minuteMs : null}, ${at}, ${at + invitationMs})`),
  );
  return id;
}

function isBelowLimit(to: number | null, at: number): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM sign_in_links INDEXED BY ix_sign_in_links_invitations
    WHERE kind = 'invitation' AND invited_to IS ${to} AND created_at > ${at - hourMs} LIMIT ${maxInvitationsPerHour}))
    < ${maxInvitationsPerHour}`;
}

/** Mails a committed invitation after the answer. Returns whether this installation mails invitations. */
export function mailInvitation(platform: Platform, id: Id, links: OwnLinks) {
  if ("missing" in links) return mailIsOff(links.missing);
  platform.later(mailNewLink(platform, id));
  return { mail: "ON" as const, message: "The invitation is on its way." };
}

export function tooManyInvitations(): RateLimited {
  return new RateLimited("invitations", hourMs / secondMs);
}
