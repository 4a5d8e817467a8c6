import { sql } from "drizzle-orm";
import { NotFound } from "../../core/errors";
import { newId } from "../../core/ids";
import { hashKey, randomHex } from "../../core/keys";
import { printedLinkMs } from "../../core/people/session";
import { openBatch } from "../../db/batch";
import { asNumber, columns } from "../../db/rows";
import { selectFirst, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";

export interface PrintedLink {
  token: string;
  expiresAt: number;
}

/**
 * Makes a link that signs somebody in without a mail. It works once, within a day. Given an address, signs in that
 * person, or throws NotFound when there is none. Without an address, the reader enters an address and becomes an owner.
 */
export async function printLink(platform: Platform, email: string | null): Promise<PrintedLink> {
  if (email !== null) {
    const found = sql`SELECT 1 AS found FROM people WHERE email = ${email}`;
    if ((await selectFirst(platform.control, found, columns({ found: asNumber }))) === null) {
      throw new NotFound("person", email);
    }
  }
  const now = platform.now.getTime();
  const [token, id, expiresAt] = [randomHex(32), newId(), now + printedLinkMs];
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`EXISTS (SELECT 1 FROM sign_in_links WHERE id = ${id})`);
  batch.add(
    statement(sql`INSERT INTO sign_in_links (id, kind, email, hash, created_at, expires_at)
      VALUES (${id}, 'console', ${email}, ${await hashKey(token)}, ${now}, ${expiresAt})`),
  );
  await batch.commit();
  return { token, expiresAt };
}
