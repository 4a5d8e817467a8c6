import { sql } from "drizzle-orm";
import { Conflict, NotFound } from "../../../core/errors";
import { newId } from "../../../core/ids";
import type { Visitor } from "../../../core/people/visitor";
import { openBatch } from "../../../db/batch";
import { statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import { forgetVisitors } from "../../../engine/people/cache";
import { addInvitation, mailInvitation } from "../../../engine/people/invitation";
import type { OwnLinks } from "../../../engine/people/own-mail";
import { requireStanding } from "../../../engine/people/standing";
import { requireProject } from "../../../engine/projects/project";
import type { Platform } from "../../../platform/context";
import { auditedMember } from "./audited";
import { memberJson, readMember, selectMembers } from "./member";
import type { InviteMember } from "./schema";

const maxMembers = 500;

/** Makes an address a member of a project, and mails an invitation. The person may already belong to other projects. */
export async function inviteMember(
  platform: Platform,
  projectId: string,
  { email, name = null, locale = null, role, maySend = true, seesPersonalData = true }: InviteMember,
  { by, links }: { by: Visitor | undefined; links: OwnLinks },
) {
  const project = await requireProject(platform, projectId);
  const [now, theirs] = [platform.now.getTime(), sql`(SELECT id FROM people WHERE email = ${email})`];
  const isMember = sql`m.person_id = ${theirs}`;
  const batch = openBatch(platform, platform.control);
  requireStanding(batch, by, project.number);
  batch.guard(
    sql`EXISTS (SELECT 1 FROM projects WHERE number = ${project.number} AND deleted_at IS NULL)`,
    () => new NotFound("project", projectId),
  );
  batch.guard(sql`NOT EXISTS (SELECT 1 FROM people WHERE email = ${email} AND is_owner)`, () => isOwner());
  batch.guard(sql`NOT EXISTS (${selectMembers(project, isMember)})`, () => isMemberAlready());
  batch.guard(sql`(SELECT count(*) FROM memberships WHERE project_id = ${project.number}) < ${maxMembers}`, () =>
    tooManyMembers(),
  );
  const invitation = addInvitation(batch, platform, { email, to: project.number, by, links });
  batch.add(
    statement(sql`INSERT INTO people (id, email, name, locale, created_at)
      VALUES (${newId()}, ${email}, ${name}, ${locale}, ${now}) ON CONFLICT (email) DO NOTHING`),
  );
  // Must come after the insert of the person, because the person might be new.
  recordChange(batch, platform, auditedMember(project, theirs));
  batch.add(
    statement(sql`INSERT INTO memberships (person_id, project_id, role, may_send, sees_personal_data, created_at)
      VALUES (${theirs}, ${project.number}, ${role}, ${maySend ? 1 : 0}, ${seesPersonalData ? 1 : 0}, ${now})`),
  );
  const made = batch.add(statement(selectMembers(project, isMember), readMember));
  await batch.commit();
  forgetVisitors();
  return { ...memberJson(made.one), invitation: mailInvitation(platform, invitation, links) };
}

function isOwner(): Conflict {
  return new Conflict(
    "This address belongs to an owner of the installation, who has access to all projects. Nothing was done.",
  );
}

export function isMemberAlready(): Conflict {
  return new Conflict("This address already belongs to a member of the project. Nothing was done.", {
    suggestion: "To change this person's rights, use PATCH …/people/{personId}. Sign-in is at /console.",
  });
}

function tooManyMembers(): Conflict {
  return new Conflict(`A project may have at most ${maxMembers} people. Nothing was done.`, {
    suggestion: "Remove people who no longer need access with DELETE …/people/{personId}.",
  });
}
