import { type SQL, sql } from "drizzle-orm";
import type { Csv, CsvFault, Place } from "../../../core/contacts/csv";
import {
  type CsvChunk,
  contactsOf,
  readChunk,
  rowsBeforeRepeat,
  typesOf,
  withoutTooLarge,
} from "../../../core/contacts/csv-chunk";
import { maxDataBytes } from "../../../core/contacts/data";
import { newId } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { openBatch } from "../../../db/batch";
import { asText, columns } from "../../../db/rows";
import { refusable, type Statement, select } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { refuseLargeData } from "../../../engine/contacts/data-limit";
import { bornAs, joinErased, restoreErased, withHashes } from "../../../engine/contacts/erased-address";
import { insertFieldTypes } from "../../../engine/contacts/upsert";
import { guardState, updateState } from "../../../engine/jobs/work";
import type { Context } from "../../../platform/context";
import { type ImportState, maxErrors, resultOf } from "./import-job";

/** The table refused the whole chunk, as some contact's data does not fit. */
class TooLargeData extends Error {
  override readonly name = "TooLargeData";
}

/** A chunk without hashes was refused, as the project remembers somebody who was erased. */
class SomebodyErased extends Error {
  override readonly name = "SomebodyErased";
}

/** The next rows of an import in one batch: counted, then written, and the job's place behind them. */
export async function importChunk(
  ctx: Context,
  job: JobRow,
  csv: Csv,
  place: Place,
  maxRows?: number,
): Promise<CsvFault | null> {
  const chunk = readChunk(csv, place, maxRows);
  if ("fault" in chunk) return chunk;
  try {
    await writeChunk(ctx, job, chunk);
  } catch (error) {
    if (!(error instanceof TooLargeData)) throw error;
    // Whose data it is shows when each address comes once.
    const alone = rowsBeforeRepeat(chunk);
    if (alone < chunk.rows.length + chunk.skipped.length) return importChunk(ctx, job, csv, place, alone);
    const tooLarge = await findTooLarge(ctx, chunk);
    await writeChunk(ctx, job, withoutTooLarge(chunk, tooLarge));
  }
  return null;
}

/**
 * Who was erased is recognised by the hash of the address, and those of a large file take seconds: they are only made in
 * a project that remembers somebody, as the batch itself finds out.
 */
async function writeChunk(ctx: Context, job: JobRow, chunk: CsvChunk): Promise<void> {
  const contacts = newContactsOf(chunk);
  const isNobodyErased = sql`NOT EXISTS (SELECT 1 FROM erased_addresses WHERE project_id = ${ctx.project.id})`;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, job));
  batch.guard(isNobodyErased, () => new SomebodyErased());
  batch.addAll(upsertChunk(ctx, job, chunk, contacts));
  try {
    await batch.commit();
  } catch (error) {
    if (!(error instanceof SomebodyErased)) throw error;
    await writeWithHashes(ctx, job, chunk, contacts);
  }
}

async function writeWithHashes(ctx: Context, job: JobRow, chunk: CsvChunk, contacts: NewContact[]): Promise<void> {
  const hashed = withHashes(ctx, contacts);
  const items = JSON.stringify(hashed.map(({ email, hash }) => ({ email, hash })));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, job));
  batch.addAll(upsertChunk(ctx, job, chunk, hashed));
  batch.addAll(restoreErased(ctx, { items }));
  await batch.commit();
}

interface NewContact {
  /** For one who is not there yet. */
  id: string;
  email: string;
  data: JsonObject;
  hash?: string;
}

function newContactsOf(chunk: CsvChunk): NewContact[] {
  return [...contactsOf(chunk)].map(([email, data]) => ({ id: newId(), email, data }));
}

function upsertChunk(ctx: Context, job: JobRow, chunk: CsvChunk, contacts: NewContact[]): Statement[] {
  return [
    updateProgress(ctx, job, chunk, JSON.stringify(contacts.map(({ email }) => email))),
    ...insertFieldTypes(ctx, typesOf(chunk), sql`true`),
    upsertRows(ctx, JSON.stringify(contacts)),
  ];
}

/** Goes before the upsert: a contact that is not there yet is one that is imported. */
function updateProgress(ctx: Context, job: JobRow, { rows, skipped, next }: CsvChunk, addresses: string): Statement {
  const before = resultOf(job);
  const done = before.imported + before.updated + before.skipped + rows.length + skipped.length;
  const state: ImportState = next ? { phase: "importing", ...next } : { phase: "over" };
  const tellsMore = skipped.length > 0 && job.errors.length < maxErrors;
  const isNew = sql`NOT EXISTS (SELECT 1 FROM contacts WHERE project_id = ${ctx.project.id} AND email = r.value)`;
  return updateState(ctx, job, state, (done / before.totalRows) * 100, {
    result: sql`(SELECT json_object('totalRows', ${before.totalRows}, 'imported', ${before.imported} + count(*),
        'updated', ${before.updated + rows.length} - count(*), 'skipped', ${before.skipped + skipped.length})
      FROM json_each(${addresses}) r WHERE ${isNew})`,
    ...(tellsMore ? { errors: sql`${JSON.stringify([...job.errors, ...skipped].slice(0, maxErrors))}` } : {}),
  });
}

/** A cell is never an object and never null, so json_patch replaces whole keys and deletes none. */
function upsertRows(ctx: Context, contacts: string): Statement {
  const now = ctx.clock().getTime();
  const { subscribed, optedOutAt } = bornAs(ctx, { subscribed: null, subscribedByDefault: true });
  return refusable(
    sql`INSERT INTO contacts (id, project_id, email, subscribed, opted_out_at, data, created_at, updated_at)
      SELECT r.value->>'id', ${ctx.project.id}, r.value->>'email', ${subscribed}, ${optedOutAt}, r.value->'data', ${now},
        ${now}
      FROM json_each(${contacts}) r ${joinErased(ctx, sql`r.value->>'hash'`)}
      WHERE true
      ON CONFLICT (project_id, email) DO UPDATE SET data = ${merged(sql`contacts.data`, sql`excluded.data`)},
        version = contacts.version + 1, updated_at = max(contacts.updated_at, ${now})
      WHERE excluded.data <> '{}'`,
    { ...refuseLargeData, refuse: () => new TooLargeData() },
  );
}

function merged(stored: SQL, sent: SQL): SQL {
  return sql`json_patch(${stored}, ${sent})`;
}

/** The addresses whose data would not fit. */
async function findTooLarge(ctx: Context, chunk: CsvChunk): Promise<Set<string>> {
  const found = await select(
    ctx.db,
    sql`SELECT r.value->>'email' AS email FROM json_each(${JSON.stringify(newContactsOf(chunk))}) r
      LEFT JOIN contacts c ON c.project_id = ${ctx.project.id} AND c.email = r.value->>'email'
      WHERE octet_length(${merged(sql`coalesce(c.data, '{}')`, sql`r.value->'data'`)}) > ${maxDataBytes}`,
    columns({ email: asText }),
  );
  return new Set(found.map(({ email }) => email));
}
