import { sql } from "drizzle-orm";
import { type Id, newId } from "../../core/ids";
import { mailedLinkMs } from "../../core/people/session";
import { hourMs, minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { statement } from "../../db/statement";
import type { Platform } from "../../platform/context";

const maxOfAddress = 5;
const maxOfNetwork = 20;

interface LinkRequest {
  email: string;
  /** The scheme and host of the link's URL. */
  origin: string;
  browserHash: string;
  /** The caller's network; null when its address is not known, for example on a developer's machine. */
  network: string | null;
}

/**
 * Records a request to sign in by mail, at most five an hour for an address and twenty for a network. Returns the id of
 * the link to mail; null above these limits. The work is the same for every address: only the mail, sent after the
 * answer, depends on whether the person exists.
 */
export async function requestLink(
  platform: Platform,
  { email, origin, browserHash, network }: LinkRequest,
): Promise<Id | null> {
  const now = platform.now.getTime();
  const id = newId();
  const own = sql`SELECT id FROM sign_in_links WHERE id = ${id}`;
  const recent = (column: string, value: string | null, limit: number) =>
    sql`(SELECT count(*) FROM (SELECT 1 FROM sign_in_links
      WHERE ${sql.raw(column)} = ${value} AND created_at > ${now - hourMs} AND kind = 'mail' LIMIT ${limit})) < ${limit}`;
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`EXISTS (${own})`);
  const noted = batch.add(
    statement(
      sql`INSERT INTO sign_in_links (id, kind, email, origin, browser_hash, network, due_at, created_at, expires_at)
        SELECT ${id}, 'mail', ${email}, ${origin}, ${browserHash}, ${network}, ${now + minuteMs}, ${now},
          ${now + mailedLinkMs}
        WHERE ${recent("email", email, maxOfAddress)} AND ${recent("network", network, maxOfNetwork)} RETURNING id`,
      columns({ id: asId }),
      { again: own },
    ),
  );
  await batch.commit();
  return noted.first?.id ?? null;
}
