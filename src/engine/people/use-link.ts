import { sql } from "drizzle-orm";
import { Invalid } from "../../core/errors";
import { type Id, newId, textOf } from "../../core/ids";
import { hashKey } from "../../core/keys";
import { readCode } from "../../core/people/code";
import { maxTries, type SignInMethod } from "../../core/people/session";
import { openBatch } from "../../db/batch";
import { asId, asText, columns, wholeRow } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import { type SignInLinkRow, signInLinks } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { openSession, type SigningBrowser, usedUp } from "./open-session";

/** A browser that may have asked for a link. */
export interface AskingBrowser extends SigningBrowser {
  /** The cookie that was set when the browser requested a link; null if there is none. */
  asked: string | null;
}

/** The state of a link for the browser that opens it. */
export type OpenedLink =
  /**
   * The link signs in the person who opens it. `row.email` is null when that person has to enter an address and becomes
   * an owner.
   */
  | { is: "good"; row: SignInLinkRow }
  /** The link was requested in another browser, where the code must be typed. */
  | { is: "of another browser" }
  | { is: "used up" };

/** Looks at a link without using it up, because mail scanners follow links too. */
export async function lookAtLink(platform: Platform, token: string, { asked }: AskingBrowser): Promise<OpenedLink> {
  const row = await selectFirst(
    platform.control,
    sql`SELECT * FROM sign_in_links WHERE hash = ${await hashKey(token)}`,
    wholeRow(signInLinks),
  );
  if (row === null || row.usedAt !== null || row.expiresAt <= platform.now.getTime()) return { is: "used up" };
  const isOfBrowser = row.browserHash === null || (asked !== null && (await hashKey(asked)) === row.browserHash);
  return isOfBrowser ? { is: "good", row } : { is: "of another browser" };
}

/**
 * Signs in by a link. For a printed link without an address, `said` is the address that the person has entered. Returns
 * the session's cookie.
 */
export async function useLink(
  platform: Platform,
  token: string,
  browser: AskingBrowser,
  said: string | null,
): Promise<string> {
  const link = await lookAtLink(platform, token, browser);
  if (link.is !== "good") throw usedUp();
  const { row } = link;
  const email = row.email ?? said;
  if (email === null) throw new Invalid([{ field: "email", message: "Must be your email address", code: "required" }]);
  const makesOwner = row.kind === "console" && row.email === null;
  return openByLink(platform, browser, { id: row.id, email, method: "link", makesOwner });
}

/** Signs in by the code of an email, in the browser that requested it. Returns the session's cookie. */
export async function useCode(platform: Platform, typed: string, browser: AskingBrowser): Promise<string> {
  const now = platform.now.getTime();
  const browserHash = browser.asked === null ? null : await hashKey(browser.asked);
  const isOpen = sql`browser_hash = ${browserHash} AND code_hash IS NOT NULL AND used_at IS NULL
    AND expires_at > ${now} AND tries < ${maxTries}`;
  const batch = openBatch(platform, platform.control);
  const tried = batch.add(
    statement(
      sql`UPDATE sign_in_links SET tries = tries + 1 WHERE ${isOpen} RETURNING id, email, code_hash`,
      columns({ id: asId, email: asText, codeHash: asText }),
    ),
  );
  await batch.commit();
  const codeHash = await hashKey(readCode(typed));
  const link = tried.all.find((one) => one.codeHash === codeHash);
  if (!link) throw wrongCode();
  return openByLink(platform, browser, { ...link, method: "code", makesOwner: false });
}

interface UsedLink {
  id: Id;
  email: string;
  method: SignInMethod;
  makesOwner: boolean;
}

function openByLink(platform: Platform, browser: AskingBrowser, { id, email, method, makesOwner }: UsedLink) {
  const now = platform.now.getTime();
  const use = statement(sql`UPDATE sign_in_links SET used_at = ${now}, due_at = NULL WHERE id = ${id}`);
  const owner =
    statement(sql`INSERT INTO people (id, email, is_owner, created_at) VALUES (${newId()}, ${email}, 1, ${now})
    ON CONFLICT (email) DO UPDATE SET is_owner = 1`);
  return openSession(platform, browser, {
    person: sql`SELECT id FROM people WHERE email = ${email}`,
    method,
    openedBy: `link ${textOf(id)}`,
    before: makesOwner ? [use, owner] : [use],
  });
}

export function wrongCode(): Invalid {
  const message =
    "Must be a code that this browser requested within the last 15 minutes. After five wrong tries, " +
    "request another";
  return new Invalid([{ field: "code", message, code: "custom" }]);
}
