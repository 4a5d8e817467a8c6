import { sql } from "drizzle-orm";
import { Conflict } from "../../../../core/errors";
import { belowAllIds, type Id, newId, publicId, readId, textOf } from "../../../../core/ids";
import { iso } from "../../../../core/time";
import { openBatch } from "../../../../db/batch";
import { Stale, untilFresh } from "../../../../db/fresh";
import { isInserted } from "../../../../db/own-rows";
import { inProject } from "../../../../db/scope";
import type { JobRow } from "../../../../db/tables";
import { updateEndedJobs } from "../../../../engine/jobs/job";
import { announceJob, insertJob } from "../../../../engine/jobs/queue-job";
import type { Context } from "../../../../platform/context";
import { getImport, resultOf, undoableUntil } from "../import-job";
import { stateAfter } from "./undo-job";

/**
 * `POST /contacts/import/{jobId}/undo`: starts the job that undoes an import. The import's own job stores the id of
 * that job, so a second call returns the same one. Throws Conflict while the import runs, and more than a day after its
 * end.
 */
export function startUndo(ctx: Context, importId: Id): Promise<Id> {
  return untilFresh(async () => {
    const row = await getImport(ctx, importId);
    const { undoJobId } = resultOf(row);
    if (undoJobId !== undefined) return readId(undoJobId);
    checkUndoable(ctx, row);
    const id = newId();
    const batch = openBatch(ctx);
    batch.recognise(isInserted("jobs", ctx, id));
    batch.guard(
      sql`EXISTS (SELECT 1 FROM jobs WHERE ${inProject(ctx)} AND id = ${row.id} AND completed_at IS NOT NULL
        AND result->>'undoJobId' IS NULL)`,
      () => new Stale(),
    );
    batch.add(
      insertJob(ctx, {
        id,
        type: "contacts.import-undo",
        input: { importId: textOf(row.id) },
        state: stateAfter(belowAllIds),
      }),
    );
    const result = sql`coalesce(result, ${JSON.stringify(resultOf(row))})`;
    batch.add(
      updateEndedJobs(
        sql`${inProject(ctx)} AND id = ${row.id}`,
        sql`json_set(${result}, '$.undoJobId', ${publicId(id)})`,
      ),
    );
    await batch.commit();
    await announceJob(ctx, "contacts.import-undo", id);
    return id;
  }, ctx.random);
}

/** Throws Conflict unless the import has ended within the last day. */
function checkUndoable(ctx: Context, row: JobRow): void {
  const until = undoableUntil(row);
  if (until === null) throw importStillRuns();
  if (until <= ctx.realClock().getTime()) throw undoneTooLate(until);
}

export function importStillRuns(): Conflict {
  return new Conflict("This import is still running. Nothing was undone.", {
    suggestion: "Poll GET /contacts/import/{jobId} until its status is completed or failed, then undo it.",
  });
}

function undoneTooLate(until: number): Conflict {
  return new Conflict(`This import could only be undone until ${iso(until)}. Nothing was undone.`, {
    suggestion: "Change its contacts one by one, or delete them with POST /contacts/bulk-delete.",
    details: { undoableUntil: iso(until) },
  });
}
