import { sql } from "drizzle-orm";
import { expiringCache } from "../../core/expiring-cache";
import { publicId, textOf } from "../../core/ids";
import { secondMs } from "../../core/time";
import { asId, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectFirst } from "../../db/statement";
import type { Context } from "../../platform/context";

export interface ActivityVersion {
  version: string;
  emailId: string | null;
}

const answers = expiringCache<ActivityVersion>({ ttlMs: 2 * secondMs, maxEntries: 1_000 });

const readNewest = columns({ email: orNull(asId), event: orNull(asId) });

/**
 * `GET /activity/version`: returns a value that changes with each accepted email and each event. In each isolate, only
 * one call in two seconds reads the newest email and the newest event; the other calls get the same answer from memory.
 */
export async function activityVersion(ctx: Context): Promise<ActivityVersion> {
  const key = `${ctx.project.number}`;
  const now = ctx.realClock().getTime();
  const known = answers.get(key, now);
  if (known !== undefined) return known;
  const newest = await selectFirst(
    ctx.db,
    sql`SELECT (SELECT id FROM emails WHERE ${inProject(ctx)} ORDER BY id DESC LIMIT 1) AS email,
      (SELECT id FROM events WHERE ${inProject(ctx)} ORDER BY id DESC LIMIT 1) AS event`,
    readNewest,
  );
  const [email, event] = [newest?.email ?? null, newest?.event ?? null];
  const answer = {
    version: [email, event].map((id) => (id === null ? "" : textOf(id))).join("."),
    emailId: email === null ? null : publicId(email),
  };
  answers.set(key, answer, now);
  return answer;
}
