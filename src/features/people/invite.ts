import { sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import { newId } from "../../core/ids";
import type { Visitor } from "../../core/people/visitor";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { people } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { addInvitation, mailInvitation } from "../../engine/people/invitation";
import type { OwnLinks } from "../../engine/people/own-mail";
import { requireStanding } from "../../engine/people/standing";
import type { Platform } from "../../platform/context";
import { auditedPerson } from "./audited";
import { personJson } from "./person";
import type { InvitePerson } from "./schema";

/** Creates a person with an address, and mails an invitation. The person is an owner, or has no project yet. */
export async function invitePerson(
  platform: Platform,
  { email, name = null, locale = null, role = null }: InvitePerson,
  { by, links }: { by: Visitor | undefined; links: OwnLinks },
) {
  const id = newId();
  const batch = openBatch(platform, platform.control);
  requireStanding(batch, by, null);
  batch.guard(sql`NOT EXISTS (SELECT 1 FROM people WHERE email = ${email})`, () => alreadyThere());
  recordChange(batch, platform, auditedPerson(id));
  const invitation = addInvitation(batch, platform, { email, to: null, by, links });
  batch.add(
    statement(sql`INSERT INTO people (id, email, name, locale, is_owner, created_at)
      VALUES (${id}, ${email}, ${name}, ${locale}, ${role === null ? 0 : 1}, ${platform.now.getTime()})`),
  );
  const made = batch.add(statement(sql`SELECT * FROM people WHERE id = ${id}`, wholeRow(people)));
  await batch.commit();
  return { ...personJson(made.one), invitation: mailInvitation(platform, invitation, links) };
}

export function alreadyThere(): Conflict {
  return new Conflict("A person with this address already exists. Nothing was done.", {
    suggestion:
      "To make this person an owner, use PATCH /admin/people/{id}; to add the person to a project, POST " +
      "/admin/projects/{id}/people. Sign-in is at /console.",
  });
}
