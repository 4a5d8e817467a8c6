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
  /** Where the link leads. */
  origin: string;
  browserHash: string;
  /** Null when the caller's address is not known, as on a developer's machine. */
  network: string | null;
}

/**
 * Notes that somebody wants to sign in by mail, at most five times an hour for an address and twenty for a network.
 * Returns the id of the link whose mail is to be sent; null beyond that. It does the same for every address: only the
 * mail, after the answer, depends on whether there is such a person.
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
