import { sql } from "drizzle-orm";
import { installation } from "../../../core/audit/call";
import { NotFound } from "../../../core/errors";
import { type Id, publicId } from "../../../core/ids";
import type { Visitor } from "../../../core/people/visitor";
import { iso, isoOrNull } from "../../../core/time";
import { wholeRow } from "../../../db/rows";
import { select, selectFirst } from "../../../db/statement";
import { type PasskeyRow, passkeys } from "../../../db/tables";
import type { Target } from "../../../engine/audit/target";
import type { Platform } from "../../../platform/context";

/** The maximum number of passkeys of one person. */
export const maxPasskeys = 20;

/** Returns the person's own passkeys, newest first. */
export function findPasskeys({ control }: Platform, { person }: Visitor): Promise<PasskeyRow[]> {
  const own = sql`SELECT * FROM passkeys WHERE person_id = ${person.id} ORDER BY id DESC LIMIT ${maxPasskeys}`;
  return select(control, own, wholeRow(passkeys));
}

/** Returns one of the person's own passkeys. Throws NotFound when it is not theirs. */
export async function findPasskey(platform: Platform, visitor: Visitor, id: Id): Promise<PasskeyRow> {
  const own = sql`SELECT * FROM passkeys WHERE id = ${id} AND person_id = ${visitor.person.id}`;
  const found = await selectFirst(platform.control, own, wholeRow(passkeys));
  if (found === null) throw new NotFound("passkey", id);
  return found;
}

export function passkeyJson(row: PasskeyRow) {
  const { id, name, credentialId, transports, isBackedUp, createdAt, lastUsedAt } = row;
  const times = { createdAt: iso(createdAt), lastUsedAt: isoOrNull(lastUsedAt) };
  return { id: publicId(id), name, credentialId, transports, isSynced: isBackedUp, ...times };
}

/** Describes a passkey for the audit log of the installation. */
export function auditedPasskey({ person }: Visitor, id: Id): Target {
  return {
    project: installation,
    type: "passkey",
    id,
    row: sql`passkeys WHERE id = ${id} AND person_id = ${person.id}`,
    name: sql`name`,
    fields: { name: sql`name`, credentialId: sql`credential_id` },
  };
}
