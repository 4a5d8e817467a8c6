import { type SQL, sql } from "drizzle-orm";
import { Gone, NotAuthenticated } from "../../core/errors";
import { newId } from "../../core/ids";
import { hashKey, randomHex } from "../../core/keys";
import { type SignInMethod, sessionMs } from "../../core/people/session";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { type Statement, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { forgetVisitors } from "./cache";

/** When a person exceeds this number of sessions, the oldest ones end. */
const maxSessions = 50;

/** The browser that signs in. */
export interface SigningBrowser {
  userAgent: string | null;
  /** The cookie of the session that the new one replaces. */
  session: string | null;
}

interface Opening {
  /** A SELECT of the person's id. It returns no row when the person no longer exists. */
  person: SQL;
  method: SignInMethod;
  /** The link or code that opens the session. It cannot open a second one. */
  openedBy: string;
  /** Statements of the same batch that run before the session is opened. */
  before?: readonly Statement[];
}

/** Opens a session and ends the browser's previous one. Returns the session's cookie, which is stored nowhere. */
export async function openSession(
  platform: Platform,
  { userAgent, session }: SigningBrowser,
  { person, method, openedBy, before = [] }: Opening,
): Promise<string> {
  const now = platform.now.getTime();
  const [token, id] = [randomHex(32), newId()];
  const hash = await hashKey(token);
  const own = sql`SELECT person_id FROM sessions WHERE id = ${id}`;
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`EXISTS (${own})`);
  batch.addAll(before);
  const opened = batch.add(
    statement(
      sql`INSERT INTO sessions (id, hash, person_id, method, opened_by, user_agent, created_at, seen_at, expires_at)
        SELECT ${id}, ${hash}, person.id, ${method}, ${openedBy}, ${userAgent?.slice(0, 250) ?? null}, ${now}, ${now},
          ${now + sessionMs}
        FROM (${person}) person RETURNING person_id`,
      columns({ personId: asId }),
      { again: own, refusals: [{ on: { unique: "sessions.opened_by" }, refuse: () => usedUp() }] },
    ),
  );
  const isTheirs = sql`person_id = (${own})`;
  batch.add(
    statement(sql`DELETE FROM sessions WHERE ${isTheirs} AND id NOT IN
      (SELECT id FROM sessions WHERE ${isTheirs} ORDER BY id DESC LIMIT ${maxSessions})`),
  );
  batch.add(statement(sql`UPDATE people SET last_seen_at = ${now} WHERE id = (${own})`));
  if (session !== null) batch.add(statement(sql`DELETE FROM sessions WHERE hash = ${await hashKey(session)}`));
  await batch.commit();
  forgetVisitors();
  if (!opened.first)
    throw new NotAuthenticated("This person no longer exists.", { suggestion: "Ask an owner of the installation." });
  return token;
}

export function usedUp(): Gone {
  return new Gone("This link, code or challenge was used before, or has expired. Each works only once.", {
    suggestion: "Ask for another one at /console.",
  });
}
