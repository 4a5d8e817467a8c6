import { sql } from "drizzle-orm";
import type { Id } from "../../../core/ids";
import type { Visitor } from "../../../core/people/visitor";
import { openBatch } from "../../../db/batch";
import { statement } from "../../../db/statement";
import { recordChange } from "../../../engine/audit/record-change";
import type { Platform } from "../../../platform/context";
import { auditedPasskey, findPasskey } from "./passkey";

/** Removes one of the person's own passkeys. Sessions that were opened with it stay open. */
export async function removePasskey(platform: Platform, visitor: Visitor, id: Id): Promise<void> {
  await findPasskey(platform, visitor, id);
  const own = sql`FROM passkeys WHERE id = ${id} AND person_id = ${visitor.person.id}`;
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`NOT EXISTS (SELECT 1 ${own})`);
  recordChange(batch, platform, auditedPasskey(visitor, id));
  batch.add(statement(sql`DELETE ${own}`));
  await batch.commit();
}
