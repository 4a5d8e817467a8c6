import { sql } from "drizzle-orm";
import { dataKeyOf } from "../../../core/audience/fields";
import { isStandard } from "../../../core/contacts/standard-fields";
import { NotFound } from "../../../core/errors";
import { iso } from "../../../core/time";
import { openBatch } from "../../../db/batch";
import { asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { referencesTo, type Usage } from "../../../engine/audience/usage";
import { totalContacts } from "../../../engine/contacts/total";
import type { Context } from "../../../platform/context";
import { type Field, selectField } from "./field";
import { type Coverage, coverageOf, maxLive, newestContacts } from "./live";

export interface FieldUsage extends Usage {
  contactCount: number;
  /** True even while conditions name the field: after the deletion, these conditions simply stop matching. */
  canDelete: boolean;
  approximate?: true;
  countedAt?: string;
}

/**
 * `GET /contacts/fields/{field}/usage`: returns how many contacts have a field, and where conditions name it. Throws
 * NotFound for a field that was never seen and that no condition names.
 */
export async function fieldUsage(ctx: Context, field: string): Promise<FieldUsage> {
  const batch = openBatch(ctx);
  const found = batch.add(selectField(ctx, field));
  const seen = batch.add(selectSeen(ctx, field));
  const [references] = await Promise.all([referencesTo(ctx, "field", field), batch.commit()]);
  const known = found.one;
  const isUsed = Object.values(references).some((users) => users.length > 0);
  if (!known && !isUsed) throw new NotFound("field", field);
  const { contacts, countedAt } = coverage(ctx, field, known, seen.one.contacts);
  return {
    ...references,
    contactCount: contacts,
    canDelete: !isStandard(field),
    ...(countedAt === null ? {} : { approximate: true as const, countedAt: iso(countedAt) }),
  };
}

function coverage(ctx: Context, field: string, known: Field | null, seen: number): Coverage {
  if (!known) return { contacts: 0, countedAt: null };
  return isStandard(field) ? { contacts: known.total, countedAt: null } : coverageOf(known, seen, ctx.now);
}

/** Counts how many of the newest contacts have a custom field, unless its count is stored. */
function selectSeen(ctx: Context, field: string): Statement<{ contacts: number }> {
  const key = dataKeyOf(field);
  const isLookNeeded = sql`EXISTS (SELECT 1 FROM contact_fields WHERE ${inProject(ctx)} AND key = ${key}
    AND (counted_at IS NULL OR ${totalContacts(ctx)} <= ${maxLive}))`;
  return statement(
    sql`SELECT count(*) AS contacts
      FROM ${newestContacts(ctx, sql`data`, isLookNeeded)} c CROSS JOIN json_each(c.data) f
      WHERE f.key = ${key} AND f.type <> 'null'`,
    columns({ contacts: asNumber }),
  );
}
