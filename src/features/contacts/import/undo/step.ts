import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../../../core/ids";
import { lostAfterMs } from "../../../../core/nudge";
import { openBatch } from "../../../../db/batch";
import { Stale, untilFresh } from "../../../../db/fresh";
import { overwrittenColumns } from "../../../../db/overwritten-columns";
import { asFlag, asId, asNumber, columns } from "../../../../db/rows";
import { inProject } from "../../../../db/scope";
import { guard, type Statement, select, statement } from "../../../../db/statement";
import type { JobRow } from "../../../../db/tables";
import { upsertCounts } from "../../../../engine/contacts/counts";
import { isInIndexOfContact } from "../../../../engine/events/of-contact";
import { insertEvents } from "../../../../engine/events/record";
import { updateQueued } from "../../../../engine/jobs/queue-job";
import { guardState, type Step, updateEnded, updateState } from "../../../../engine/jobs/step";
import type { Context } from "../../../../platform/context";
import { addErasure } from "../../erase";
import { resultOf, stateAfter, stateOf, UndoInput, type UndoResult } from "./undo-job";

const contactsPerStep = 100;

/**
 * The maximum number of jobs that may be open at once to erase what is left of contacts. When an import has errors,
 * each step that erases contacts starts such a job, and an import can have a million contacts.
 */
const maxErasing = 20;

/** A contact that the import created or changed. */
interface Change {
  contactId: Id;
  version: number;
  isNew: boolean;
  isKept: boolean;
}

const readChange = columns({ contactId: asId, version: asNumber, isNew: asFlag, isKept: asFlag });

/**
 * Runs a step of `contacts.import-undo`: handles the next contacts that the import touched. A contact that has not
 * changed since is erased if the import created it, and otherwise gets its old values. The batch checks the versions
 * that were read, so a contact that changes meanwhile is examined again, and is then left alone.
 */
export async function undoImportStep(ctx: Context, row: JobRow): Promise<Step> {
  const { importId } = UndoInput.parse(row.input);
  return untilFresh(async () => {
    const { after, erasing: started } = stateOf(row);
    const changes = await readChanges(ctx, importId, after);
    const last = changes.at(-1);
    if (last === undefined) return end(ctx, row);
    const erasing = started.length < maxErasing ? started : await stillOpen(ctx, started);
    if (erasing.length >= maxErasing) return waitFor(ctx, row, stateAfter(after, erasing));
    const found = changes.filter(({ isKept }) => !isKept);
    const [created, changed] = [found.filter(({ isNew }) => isNew), found.filter(({ isNew }) => !isNew)];
    const before = resultOf(row);
    const result: UndoResult = {
      removed: before.removed + created.length,
      restored: before.restored + changed.length,
      kept: before.kept + changes.length - found.length,
    };
    const batch = openBatch(ctx);
    batch.add(guardState(ctx, row));
    batch.add(guardUntouched(ctx, found));
    if (changed.length > 0) batch.addAll(restore(ctx, importId, changed));
    const erasure = await addErasure(
      ctx,
      batch,
      created.map(({ contactId }) => contactId),
    );
    batch.add(
      updateState(
        ctx,
        row,
        stateAfter(last.contactId, [...erasing, ...(erasure.restId ? [erasure.restId] : [])]),
        row.progress,
        { result: sql`${JSON.stringify(result)}` },
      ),
    );
    await batch.commit();
    await erasure.announceRest();
    return "goes on";
  }, ctx.random);
}

/**
 * Whether a contact has been touched since the import. For a contact that the import created, mail and events count
 * too, because they would belong to no contact after an erasure. Events with the source SYSTEM do not count, because
 * the import itself can cause them: a new contact may enter a segment.
 */
function isTouched(ctx: Context): SQL {
  const mail = sql`EXISTS (SELECT 1 FROM emails o WHERE ${inProject(ctx, "o")} AND o.contact_id = b.contact_id)`;
  const acts = sql`EXISTS (SELECT 1 FROM events o INDEXED BY ix_events_person
    WHERE ${inProject(ctx, "o")} AND o.contact_id = b.contact_id AND o.source <> 'SYSTEM'
      AND ${isInIndexOfContact(sql`o.name`)})`;
  return sql`(c.version IS NOT b.version OR iif(b.is_new, ${mail} OR ${acts}, b.data IS NULL))`;
}

function readChanges(ctx: Context, importId: Id, after: Id): Promise<Change[]> {
  return select(
    ctx.db,
    sql`SELECT b.contact_id, b.version, b.is_new, ${isTouched(ctx)} AS is_kept FROM import_changes b
      LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = b.contact_id
      WHERE ${inProject(ctx, "b")} AND b.job_id = ${importId} AND b.contact_id > ${after}
      ORDER BY b.contact_id LIMIT ${contactsPerStep}`,
    readChange,
  );
}

function guardUntouched(ctx: Context, found: Change[]): Statement {
  const read = JSON.stringify(found.map(({ contactId, version }) => [contactId, version]));
  const touched = sql`SELECT 1 FROM json_each(${read}) r
    LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = r.value->>0 WHERE c.version IS NOT r.value->>1`;
  return guard(sql`NOT EXISTS (${touched})`, () => new Stale());
}

/**
 * Restores the old values. The statements for the events and the counts compare the old values with the present ones,
 * so they come before the change.
 */
function restore(ctx: Context, importId: Id, changed: Change[]): Statement[] {
  const ids = JSON.stringify(changed.map(({ contactId }) => contactId));
  const joined = sql`FROM json_each(${ids}) r
    CROSS JOIN import_changes b ON ${inProject(ctx, "b")} AND b.job_id = ${importId} AND b.contact_id = r.value
    CROSS JOIN contacts c ON ${inProject(ctx, "c")} AND c.id = b.contact_id`;
  const now = ctx.now.getTime();
  return [
    insertEvents(ctx, {
      rows: sql`SELECT c.project_id, iif(b.subscribed, 'contact.subscribed', 'contact.unsubscribed') AS name,
          c.id AS contact_id, NULL AS email_id, '{}' AS data ${joined} WHERE b.subscribed <> c.subscribed`,
    }),
    upsertCounts(sql`SELECT c.project_id, 0 AS contacts, b.subscribed - c.subscribed AS subscribed ${joined}`),
    statement(
      sql`UPDATE contacts AS c SET data = b.data,
          ${sql.raw(overwrittenColumns.map((column) => `${column} = b.${column}`).join(", "))}, version = c.version + 1, updated_at = max(c.updated_at, ${now})
        FROM import_changes b
        WHERE ${inProject(ctx, "c")} AND c.id IN (SELECT value FROM json_each(${ids}))
          AND ${inProject(ctx, "b")} AND b.job_id = ${importId} AND b.contact_id = c.id`,
    ),
  ];
}

/** Returns those of the jobs that have not ended. */
async function stillOpen(ctx: Context, jobIds: Id[]): Promise<Id[]> {
  const found = await select(
    ctx.db,
    sql`SELECT j.id FROM json_each(${JSON.stringify(jobIds)}) r
      CROSS JOIN jobs j ON ${inProject(ctx, "j")} AND j.id = r.value WHERE j.status IN ('queued', 'processing')`,
    columns({ id: asId }),
  );
  return found.map(({ id }) => id);
}

/** Lets a sweep announce the job again in a few seconds. */
async function waitFor(ctx: Context, row: JobRow, state: ReturnType<typeof stateAfter>): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateQueued(ctx, { id: row.id, state, announcedAt: ctx.realClock().getTime() + lostAfterMs }));
  await batch.commit();
  return "waits";
}

async function end(ctx: Context, row: JobRow): Promise<Step> {
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, row));
  batch.add(updateEnded(ctx, row, { status: "completed", result: resultOf(row) }));
  await batch.commit();
  return "ended";
}
