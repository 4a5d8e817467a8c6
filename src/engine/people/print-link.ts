import { sql } from "drizzle-orm";
import { installation } from "../../core/audit/call";
import { NotFound } from "../../core/errors";
import { type Id, newId } from "../../core/ids";
import { hashKey, randomHex } from "../../core/keys";
import { printedLinkMs } from "../../core/people/session";
import type { Visitor } from "../../core/people/visitor";
import { openBatch } from "../../db/batch";
import { asId, columns } from "../../db/rows";
import { type Statement, selectFirst, statement } from "../../db/statement";
import type { Platform } from "../../platform/context";
import { recordChange } from "../audit/record-change";
import type { Target } from "../audit/target";
import { requireStanding } from "./standing";

export interface PrintedLink {
  token: string;
  expiresAt: number;
}

/**
 * Makes a link that signs a person in without an email. It works once, within a day. If an address is given, the link
 * signs in the person with that address; throws NotFound if there is none. Without an address, the person who opens the
 * link enters one and becomes an owner.
 */
export async function printLink(
  platform: Platform,
  email: string | null,
  by: Visitor | undefined,
): Promise<PrintedLink> {
  const person = email === null ? null : await findPerson(platform, email);
  const now = platform.now.getTime();
  const [token, id, expiresAt] = [randomHex(32), newId(), now + printedLinkMs];
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`EXISTS (SELECT 1 FROM sign_in_links WHERE id = ${id})`);
  requireStanding(batch, by, null);
  recordChange(batch, platform, auditedLink(id, person));
  batch.add(
    statement(sql`INSERT INTO sign_in_links (id, kind, email, hash, created_at, expires_at)
      VALUES (${id}, 'console', ${email}, ${await hashKey(token)}, ${now}, ${expiresAt})`),
  );
  await batch.commit();
  return { token, expiresAt };
}

/**
 * Ends all printed links. Runs when an owner leaves: a link does not say who printed it, and would let its printer come
 * back.
 */
export function deletePrintedLinks(): Statement {
  return statement(sql`DELETE FROM sign_in_links WHERE kind = 'console' AND used_at IS NULL`);
}

async function findPerson({ control }: Platform, email: string): Promise<Id> {
  const found = await selectFirst(control, sql`SELECT id FROM people WHERE email = ${email}`, columns({ id: asId }));
  if (found === null) throw new NotFound("person", email);
  return found.id;
}

/** Returns the link as the audit log shows it: as a change of the person whom it signs in. */
function auditedLink(id: Id, person: Id | null): Target {
  return {
    project: installation,
    type: "person",
    id: person,
    row: sql`sign_in_links WHERE id = ${id}`,
    name: sql`email`,
    fields: {},
    hidden: { signInLink: sql`hash` },
  };
}
