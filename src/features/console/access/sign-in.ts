import { sql } from "drizzle-orm";
import { NotAuthenticated } from "../../../core/errors";
import { newId, textOf } from "../../../core/ids";
import { asId, columns } from "../../../db/rows";
import { selectFirst } from "../../../db/statement";
import { openSession, type SigningBrowser } from "../../../engine/people/open-session";
import type { Platform } from "../../../platform/context";

/**
 * Signs in the person with an address that Access has verified. Returns the session's cookie. Throws NotAuthenticated
 * if no person of this installation has the address: Access may let in everybody in a company, but only an invitation
 * adds a person.
 */
export async function signInByAccess(platform: Platform, browser: SigningBrowser, email: string): Promise<string> {
  const person = sql`SELECT id FROM people WHERE email = ${email}`;
  if ((await selectFirst(platform.control, person, columns({ id: asId }))) === null) {
    throw new NotAuthenticated(`${email} does not belong to a person of this installation.`, {
      suggestion: "Ask an owner, or an admin of your project, to invite this address.",
    });
  }
  // An assertion is valid for hours and can open several sessions, so each session has its own `openedBy`.
  return openSession(platform, browser, { person, method: "access", openedBy: `access ${textOf(newId())}` });
}
