import { type SQL, sql } from "drizzle-orm";
import { Conflict } from "../../core/errors";
import type { Id } from "../../core/ids";
import type { Visitor } from "../../core/people/visitor";
import { openBatch } from "../../db/batch";
import { wholeRow } from "../../db/rows";
import { statement } from "../../db/statement";
import { people } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import { forgetVisitors } from "../../engine/people/cache";
import { deletePrintedLinks } from "../../engine/people/print-link";
import { requireStanding } from "../../engine/people/standing";
import type { Platform } from "../../platform/context";
import { auditedPerson } from "./audited";
import { findPerson } from "./get";
import { noPerson, personJson } from "./person";
import type { UpdatePerson } from "./schema";

/** Changes a person. A new role takes effect within 30 seconds. The last owner cannot lose that role. */
export async function updatePerson(platform: Platform, id: Id, change: UpdatePerson, by: Visitor | undefined) {
  await findPerson(platform, id);
  const changes: SQL[] = [];
  if (change.name !== undefined) changes.push(sql`name = ${change.name}`);
  if (change.locale !== undefined) changes.push(sql`locale = ${change.locale}`);
  if (change.role !== undefined) changes.push(sql`is_owner = ${change.role === null ? 0 : 1}`);
  const batch = openBatch(platform, platform.control);
  if (changes.length > 0) {
    batch.mayRepeat();
    requireStanding(batch, by, null);
    if (change.role === null) {
      batch.guard(hasAnotherOwner(id), () => lastOwner());
      batch.add(deletePrintedLinks());
    }
    recordChange(batch, platform, auditedPerson(id));
    batch.add(statement(sql`UPDATE people SET ${sql.join(changes, sql`, `)} WHERE id = ${id}`));
  }
  const found = batch.add(statement(sql`SELECT * FROM people WHERE id = ${id}`, wholeRow(people)));
  await batch.commit();
  forgetVisitors();
  if (!found.first) throw noPerson(id);
  return personJson(found.first);
}

/**
 * Matches when another owner remains. It is part of the batch that takes an owner's role away, so when two owners
 * demote each other at once, the second call is refused.
 */
export function hasAnotherOwner(id: Id): SQL {
  return sql`EXISTS (SELECT 1 FROM people WHERE is_owner AND id <> ${id})`;
}

export function lastOwner(): Conflict {
  return new Conflict("This person is the only owner of the installation. Nothing was changed.", {
    suggestion: "Make another person an owner first, with PATCH /admin/people/{id} and role owner.",
  });
}
