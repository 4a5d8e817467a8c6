import { and, eq } from "drizzle-orm";
import { readToken, type TokenPurpose, type TokenSubject } from "../../core/tokens";
import { inProject } from "../../db/scope";
import { type ContactRow, contacts } from "../../db/tables";
import { findProjectById } from "../../engine/projects/project";
import { type Context, forProject, type Platform } from "../../platform/context";

/** A person who followed a link in an email. */
export interface Recipient {
  ctx: Context;
  contact: ContactRow;
  subject: TokenSubject;
}

/** The recipient of a link whose contact has been deleted. */
export interface GoneRecipient {
  ctx: Context;
  contact: null;
}

/** Finds the recipient of a link; null if we did not sign the link for `purpose`, or if the project is deleted. */
export async function findRecipient(
  platform: Platform,
  purpose: TokenPurpose,
  token: string,
): Promise<Recipient | GoneRecipient | null> {
  const subject = await readToken(platform.config.linkSecrets, purpose, token);
  const project = subject && (await findProjectById(platform, subject.projectId));
  if (!subject || !project) return null;
  const ctx = forProject(platform, project);
  const contact = await ctx.db
    .select()
    .from(contacts)
    .where(and(inProject(ctx), eq(contacts.id, subject.contactId)))
    .get();
  return contact ? { ctx, contact, subject } : { ctx, contact: null };
}
