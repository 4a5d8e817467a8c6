import { sql } from "drizzle-orm";
import { dataKeyOf } from "../../../core/audience/fields";
import { Invalid, NotFound } from "../../../core/errors";
import { newId, publicId } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { isInserted, rowById } from "../../../db/own-rows";
import { asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import { announceJob, upsertJobs } from "../../../engine/jobs/queue-job";
import type { Context } from "../../../platform/context";
import { selectField } from "./field";
import { updateWithoutKey } from "./remove-key";

/**
 * In a project with at most this many contacts, the call itself removes a field from them. In a larger project, a job
 * does it.
 */
const maxAtOnce = 10_000;

/**
 * Implements `DELETE /contacts/fields/{field}`. The field's row in `contact_fields` is deleted first; in a large
 * project, the same batch creates the job. A value that is written later therefore registers the field again, so the
 * list contains every field that has values. Throws Invalid for a standard field and NotFound for a field that the
 * project does not know.
 */
export async function deleteField(ctx: Context, field: string): Promise<{ deletedFrom: number } | { jobId: string }> {
  const key = dataKeyOf(field);
  if (key === null) {
    throw new Invalid([
      {
        field: "field",
        code: "invalid_string",
        message: "Only custom fields (data.<key>) can be deleted",
        received: field,
      },
    ]);
  }
  const look = openBatch(ctx);
  const found = look.add(selectField(ctx, field));
  await look.commit();
  if (!found.one) throw new NotFound("field", field);
  return found.one.total > maxAtOnce ? startDeletion(ctx, field, key) : deleteAtOnce(ctx, key);
}

async function deleteAtOnce(ctx: Context, key: string): Promise<{ deletedFrom: number }> {
  const batch = openBatch(ctx);
  batch.add(deleteRegistered(ctx, key));
  batch.add(updateWithoutKey(ctx, key, ctx.now));
  const removed = batch.add(statement(sql`SELECT changes() AS contacts`, columns({ contacts: asNumber })));
  await batch.commit();
  return { deletedFrom: removed.one.contacts };
}

async function startDeletion(ctx: Context, field: string, key: string): Promise<{ jobId: string }> {
  const type = "contacts.delete-field";
  const jobId = newId();
  const batch = openBatch(ctx);
  batch.recognise(isInserted("jobs", ctx, jobId));
  const inserted = upsertJobs(type, ctx.realClock(), {
    projectId: sql`f.project_id`,
    id: sql`${jobId}`,
    input: sql`json_object('key', f.key, 'type', f.type, 'isPublic', f.is_public)`,
    // `upTo` is determined in the same batch, because a contact that is created later may have a new value of the
    // field.
    state: sql`json_object('after', '', 'upTo', coalesce((SELECT id FROM contacts
        WHERE ${inProject(ctx)} ORDER BY id DESC LIMIT 1), ''), 'passed', 0)`,
    from: sql`FROM contact_fields f WHERE ${inProject(ctx, "f")} AND f.key = ${key}`,
  });
  const job = batch.add({ ...inserted, again: rowById("jobs", ctx, jobId) });
  batch.add(deleteRegistered(ctx, key));
  await batch.commit();
  // No job was created, because a concurrent call has just deleted the field.
  if (!job.first) throw new NotFound("field", field);
  await announceJob(ctx, type, jobId);
  return { jobId: publicId(jobId) };
}

function deleteRegistered(ctx: Context, key: string): Statement {
  return statement(sql`DELETE FROM contact_fields WHERE ${inProject(ctx)} AND key = ${key}`);
}
