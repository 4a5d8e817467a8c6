import { sql } from "drizzle-orm";
import { NotFound } from "../../../core/errors";
import type { Id } from "../../../core/ids";
import type { Visitor } from "../../../core/people/visitor";
import { openBatch } from "../../../db/batch";
import { wholeRow } from "../../../db/rows";
import { statement } from "../../../db/statement";
import { passkeys } from "../../../db/tables";
import { recordChange } from "../../../engine/audit/record-change";
import type { Platform } from "../../../platform/context";
import { auditedPasskey, passkeyJson } from "./passkey";

/** Renames one of the person's own passkeys. */
export async function renamePasskey(platform: Platform, visitor: Visitor, id: Id, name: string) {
  const own = sql`id = ${id} AND person_id = ${visitor.person.id}`;
  const batch = openBatch(platform, platform.control);
  batch.mayRepeat();
  recordChange(batch, platform, auditedPasskey(visitor, id));
  batch.add(statement(sql`UPDATE passkeys SET name = ${name} WHERE ${own}`));
  const renamed = batch.add(statement(sql`SELECT * FROM passkeys WHERE ${own}`, wholeRow(passkeys)));
  await batch.commit();
  if (!renamed.first) throw new NotFound("passkey", id);
  return passkeyJson(renamed.first);
}
