import { sql } from "drizzle-orm";
import { z } from "zod";
import { asId as idOf } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asId, asNumber, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, selectOne, statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { totalContacts } from "../../../engine/contacts/total";
import { guardState, type Step, updateEnded, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { updateWithoutKey } from "./remove-key";

const contactsPerStep = 5_000;

const Input = z.object({ key: z.string(), type: z.string(), isPublic: z.number() });

/**
 * Contacts with ids up to `after` are done. Contacts with ids above `upTo` were created after the call, and keep the
 * field.
 */
const State = z.object({
  after: z.string().transform(idOf),
  upTo: z.string().transform(idOf),
  passed: z.number(),
});

/**
 * Takes one step of a field's deletion: removes the field from the next contacts by id. The batch counts the contacts
 * that had the field, because the number may change until the batch is committed.
 */
export async function continueDeletion(ctx: Context, row: JobRow): Promise<Step> {
  const { key } = Input.parse(row.input);
  const { after, upTo, passed } = State.parse(row.state);
  const { contacts, last, total } = await selectOne(
    ctx.db,
    sql`SELECT count(*) AS contacts, max(id) AS last, ${totalContacts(ctx)} AS total
      FROM (SELECT id FROM contacts
        WHERE ${inProject(ctx)} AND id > ${after} AND id <= ${upTo} ORDER BY id LIMIT ${contactsPerStep})`,
    columns({ contacts: asNumber, last: orNull(asId), total: asNumber }),
  );
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  if (last === null) {
    batch.add(updateEnded(ctx, row, { status: "completed", result: row.result ?? { deletedFrom: 0 } }));
    await batch.commit();
    return "ended";
  }
  const state = { after: last, upTo, passed: passed + contacts };
  batch.add(updateWithoutKey(ctx, key, ctx.clock(), sql`id > ${after} AND id <= ${last}`));
  batch.add(
    updateState(ctx, row, state, (100 * state.passed) / total, {
      result: sql`json_object('deletedFrom', coalesce(result->>'deletedFrom', 0) + changes())`,
    }),
  );
  await batch.commit();
  return "goes on";
}

/**
 * Gives up a deletion: registers the field again, so that a caller can delete it from the contacts that still have it.
 */
export function releaseField(ctx: Context, row: JobRow): Statement[] {
  const { key, type, isPublic } = Input.parse(row.input);
  return [
    statement(
      sql`INSERT INTO contact_fields (project_id, key, type, is_public, created_at)
        VALUES (${ctx.project.number}, ${key}, ${type}, ${isPublic}, ${ctx.clock().getTime()}) ON CONFLICT DO NOTHING`,
    ),
  ];
}
