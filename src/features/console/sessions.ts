import { sql } from "drizzle-orm";
import { NotAuthenticated, NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import type { Visitor } from "../../core/people/visitor";
import { iso } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asId, columns, wholeRow } from "../../db/rows";
import { select, statement } from "../../db/statement";
import { sessions } from "../../db/tables";
import { forgetVisitors } from "../../engine/people/cache";
import type { Platform } from "../../platform/context";

/** Lists where the person is signed in, newest first. A person has at most 50 sessions. */
export async function listSessions({ control, now }: Platform, { person, sessionId }: Visitor) {
  const rows = await select(
    control,
    sql`SELECT * FROM sessions WHERE person_id = ${person.id} AND expires_at > ${now.getTime()} ORDER BY id DESC`,
    wholeRow(sessions),
  );
  const data = rows.map(({ id, method, userAgent, createdAt, seenAt, expiresAt }) => ({
    ...{ id: publicId(id), isCurrent: publicId(id) === publicId(sessionId), method, userAgent },
    ...{ createdAt: iso(createdAt), lastSeenAt: iso(seenAt), expiresAt: iso(expiresAt) },
  }));
  return { data };
}

/** Signs the person out of one browser. */
export async function endSession(platform: Platform, visitor: Visitor, id: Id): Promise<void> {
  const ended = await deleteSessions(platform, visitor, id);
  if (ended === 0) throw new NotFound("session", id);
}

/** Ends all sessions of the person except the one that makes this call. */
export async function endOtherSessions(platform: Platform, visitor: Visitor): Promise<void> {
  await deleteSessions(platform, visitor, null);
}

/** Returns the error for a call whose session has ended, although this isolate still has it in its cache. */
export function sessionEnded(): NotAuthenticated {
  return new NotAuthenticated("This session has ended. Nothing was done.", { suggestion: "Sign in at /console." });
}

/**
 * Deletes one session of the person or, without an id, all except the current one. Returns how many sessions were
 * deleted.
 */
async function deleteSessions(platform: Platform, { person, sessionId }: Visitor, id: Id | null): Promise<number> {
  const isMeant = id === null ? sql`id <> ${sessionId}` : sql`id = ${id}`;
  const batch = openBatch(platform, platform.control);
  const ended = batch.add(
    statement(
      sql`DELETE FROM sessions WHERE person_id = ${person.id} AND ${isMeant} RETURNING id`,
      columns({ id: asId }),
    ),
  );
  await batch.commit();
  forgetVisitors();
  return ended.count;
}
