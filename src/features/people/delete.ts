import { sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import type { Visitor } from "../../core/people/visitor";
import { openBatch } from "../../db/batch";
import { statement } from "../../db/statement";
import { recordChange } from "../../engine/audit/record-change";
import { forgetVisitors } from "../../engine/people/cache";
import { deletePrintedLinks } from "../../engine/people/print-link";
import { requireStanding } from "../../engine/people/standing";
import type { Platform } from "../../platform/context";
import { auditedPerson } from "./audited";
import { findPerson } from "./get";
import { hasAnotherOwner, lastOwner } from "./update";

/** Deletes a person. They lose access to all projects within 30 seconds. The last owner cannot be deleted. */
export async function deletePerson(platform: Platform, id: Id, by: Visitor | undefined): Promise<void> {
  await findPerson(platform, id);
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`NOT EXISTS (SELECT 1 FROM people WHERE id = ${id})`);
  requireStanding(batch, by, null);
  batch.guard(sql`(NOT EXISTS (SELECT 1 FROM people WHERE id = ${id} AND is_owner) OR ${hasAnotherOwner(id)})`, () =>
    lastOwner(),
  );
  recordChange(batch, platform, auditedPerson(id));
  batch.add(deletePrintedLinks());
  // The links must be deleted first, because they are found by the person's address.
  batch.add(statement(sql`DELETE FROM sign_in_links WHERE email = (SELECT email FROM people WHERE id = ${id})`));
  for (const table of ["sessions", "memberships", "passkeys"]) {
    batch.add(statement(sql`DELETE FROM ${sql.raw(table)} WHERE person_id = ${id}`));
  }
  batch.add(statement(sql`DELETE FROM people WHERE id = ${id}`));
  await batch.commit();
  forgetVisitors();
}
