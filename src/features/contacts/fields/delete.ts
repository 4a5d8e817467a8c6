import { sql } from "drizzle-orm";
import { dataKeyOf } from "../../../core/audience/fields";
import { Invalid, NotFound } from "../../../core/errors";
import { newId } from "../../../core/ids";
import { commit, statement } from "../../../db/commit";
import { announceJob, recordJob } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { readField, selectField } from "./field";
import { removeKey } from "./remove-key";

/** Contacts of a project that are looked through while the caller waits. */
const mostAtOnce = 10_000;

/**
 * `DELETE /contacts/fields/{field}`. The registry's row goes first, and the job of a large project is recorded with it:
 * so whatever value is written from then on registers the field anew, and none is ever left that the list does not know.
 * Throws Invalid for a standard field and NotFound for one that the project does not know.
 */
export async function deleteField(ctx: Context, field: string): Promise<{ deletedFrom: number } | { jobId: string }> {
  const key = dataKeyOf(field);
  if (key === null) {
    throw new Invalid([
      {
        field: "field",
        code: "invalid_string",
        message: "Only a custom field, data.<key>, can be deleted",
        received: field,
      },
    ]);
  }
  const [[row] = []] = await commit(ctx.db, [selectField(ctx, field)]);
  const found = readField(field, row);
  if (!found) throw new NotFound("field", field);
  return found.total > mostAtOnce ? startDeletion(ctx, field, key) : deleteAtOnce(ctx, key);
}

async function deleteAtOnce(ctx: Context, key: string): Promise<{ deletedFrom: number }> {
  const [, , [removed] = []] = await commit(ctx.db, [
    forgetField(ctx, key),
    removeKey(ctx, key, ctx.now),
    statement(ctx.db, sql`SELECT changes() AS contacts`),
  ]);
  return { deletedFrom: Number(removed?.contacts) };
}

async function startDeletion(ctx: Context, field: string, key: string): Promise<{ jobId: string }> {
  const type = "contacts.delete-field";
  const jobId = newId();
  const isKnown = sql`EXISTS (SELECT 1 FROM contact_fields WHERE project_id = ${ctx.project.id} AND key = ${key})`;
  const [recorded = []] = await commit(ctx.db, [
    recordJob(ctx, { id: jobId, type, input: { key }, onlyIf: isKnown }),
    // Asked in this very batch: a contact of later may have a value of later.
    statement(
      ctx.db,
      sql`UPDATE jobs SET state = json_object('after', '', 'upTo', coalesce((SELECT id FROM contacts
            WHERE project_id = ${ctx.project.id} ORDER BY id DESC LIMIT 1), ''), 'passed', 0)
        WHERE project_id = ${ctx.project.id} AND id = ${jobId}`,
    ),
    forgetField(ctx, key),
  ]);
  // Somebody else has just deleted it.
  if (recorded.length === 0) throw new NotFound("field", field);
  await announceJob(ctx, type, jobId);
  return { jobId };
}

function forgetField(ctx: Context, key: string): D1PreparedStatement {
  return statement(ctx.db, sql`DELETE FROM contact_fields WHERE project_id = ${ctx.project.id} AND key = ${key}`);
}
