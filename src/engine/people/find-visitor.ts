import { sql } from "drizzle-orm";
import { hashKey } from "../../core/keys";
import type { ProjectRole, Rights } from "../../core/people/role";
import { sessionMs } from "../../core/people/session";
import type { Visitor } from "../../core/people/visitor";
import { hourMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asFlag, asId, asJson, asNumber, asText, columns, orNull } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { unknownSessions, visitors } from "./cache";

const tokenPattern = /^[0-9a-f]{64}$/;

type StoredRights = [projectNumber: number, role: ProjectRole, maySend: number, seesPersonalData: number];

const readVisitor = columns({
  sessionId: asId,
  provedAt: orNull(asNumber),
  seenAt: asNumber,
  personId: asId,
  email: asText,
  name: orNull(asText),
  locale: orNull(asText),
  isOwner: asFlag,
  createdAt: asNumber,
  memberships: asJson<StoredRights[]>(),
});

/**
 * Returns the person whose session has this cookie; null when there is none. Each isolate caches the result for 30
 * seconds, as it does for API keys.
 */
export async function findVisitor(platform: Platform, token: string): Promise<Visitor | null> {
  if (!tokenPattern.test(token)) return null;
  const now = platform.now.getTime();
  const hash = await hashKey(token);
  const known = visitors.get(hash, now);
  if (known) return known;
  if (unknownSessions.get(hash, now)) return null;
  const row = await selectFirst(
    platform.control,
    sql`SELECT s.id AS session_id, iif(s.method = 'access', NULL, s.created_at) AS proved_at, s.seen_at,
        p.id AS person_id, p.email, p.name, p.locale, p.is_owner, p.created_at,
        (SELECT json_group_array(json_array(m.project_id, m.role, m.may_send, m.sees_personal_data))
          FROM memberships m WHERE m.person_id = p.id) AS memberships
      FROM sessions s JOIN people p ON p.id = s.person_id
      WHERE s.hash = ${hash} AND s.expires_at > ${now}`,
    readVisitor,
  );
  if (row === null) {
    unknownSessions.set(hash, true, now);
    return null;
  }
  const { sessionId, provedAt, seenAt, personId: id, email, name, locale, isOwner, createdAt } = row;
  const memberships = new Map(row.memberships.map((stored) => [stored[0], rightsOf(stored)]));
  const visitor = { sessionId, provedAt, person: { id, email, name, locale, isOwner, createdAt }, memberships };
  visitors.set(hash, visitor, now);
  if (seenAt < now - hourMs) platform.later(noteVisit(platform, visitor, now));
  return visitor;
}

function rightsOf([, role, maySend, seesPersonalData]: StoredRights): Rights {
  return { role, maySend: maySend === 1, seesPersonalData: seesPersonalData === 1 };
}

/** Extends the session. A session in use is extended at most once an hour. */
async function noteVisit(platform: Platform, { sessionId, person }: Visitor, now: number): Promise<void> {
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  batch.add(
    statement(sql`UPDATE sessions SET seen_at = ${now}, expires_at = ${now + sessionMs} WHERE id = ${sessionId}`),
  );
  batch.add(statement(sql`UPDATE people SET last_seen_at = ${now} WHERE id = ${person.id}`));
  await batch.commit();
}
