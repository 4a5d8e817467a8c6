import { type SQL, sql } from "drizzle-orm";
import type { Csv, CsvFault, Place } from "../../../core/contacts/csv";
import {
  type CsvChunk,
  contactsOf,
  readChunk,
  rowsBeforeRepeat,
  type SkippedRow,
  typesOf,
  withoutTooLarge,
} from "../../../core/contacts/csv-chunk";
import { maxDataBytes } from "../../../core/contacts/data";
import { type Id, newIdAt } from "../../../core/ids";
import type { JsonObject } from "../../../core/json";
import { openBatch } from "../../../db/batch";
import { asText, columns } from "../../../db/rows";
import { noRows, type Statement, select, statement } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { upsertCounts } from "../../../engine/contacts/counts";
import { refuseLargeData } from "../../../engine/contacts/data-limit";
import { bornAs, joinErased, restoreErased, withHashes } from "../../../engine/contacts/erased-address";
import { insertFieldTypes } from "../../../engine/contacts/field-types";
import { guardState, updateState } from "../../../engine/jobs/step";
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
  const now = ctx.clock().getTime();
  const contacts = newContactsOf(chunk, now);
  const isNobodyErased = sql`NOT EXISTS (SELECT 1 FROM erased_addresses WHERE project_id = ${ctx.project.number})`;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, job));
  batch.guard(isNobodyErased, () => new SomebodyErased());
  batch.addAll(upsertChunk(ctx, job, chunk, { contacts, now }));
  try {
    await batch.commit();
  } catch (error) {
    if (!(error instanceof SomebodyErased)) throw error;
    await writeWithHashes(ctx, job, chunk, { contacts, now });
  }
}

async function writeWithHashes(
  ctx: Context,
  job: JobRow,
  chunk: CsvChunk,
  { contacts, now }: NewContacts,
): Promise<void> {
  const hashed = withHashes(ctx, contacts);
  const items = JSON.stringify(hashed.map(({ email, hash }) => ({ email, hash })));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, job));
  batch.addAll(upsertChunk(ctx, job, chunk, { contacts: hashed, now }));
  batch.addAll(restoreErased(ctx, { items }));
  await batch.commit();
}

interface NewContact {
  /** For one who is not there yet. */
  id: Id;
  email: string;
  data: JsonObject;
  hash?: string;
}

/** The contacts of a chunk, and when they are written: the ids of the new ones are made of it. */
interface NewContacts {
  contacts: NewContact[];
  now: number;
}

function newContactsOf(chunk: CsvChunk, now: number): NewContact[] {
  return [...contactsOf(chunk)].map(([email, data]) => ({ id: newIdAt(now), email, data }));
}

function upsertChunk(ctx: Context, job: JobRow, chunk: CsvChunk, { contacts, now }: NewContacts): Statement[] {
  return [
    updateProgress(ctx, job, chunk, JSON.stringify(contacts.map(({ email }) => email))),
    ...insertFieldTypes(ctx, typesOf(chunk), sql`true`),
    upsertRows(ctx, JSON.stringify(contacts), now),
  ];
}

/** Goes before the upsert: a contact that is not there yet is one that is imported. */
function updateProgress(ctx: Context, job: JobRow, { rows, skipped, next }: CsvChunk, addresses: string): Statement {
  const before = resultOf(job);
  const done = before.imported + before.updated + before.skipped + rows.length + skipped.length;
  const state: ImportState = next ? { phase: "importing", ...next } : { phase: "over" };
  const more = skipped.slice(0, maxErrors - job.errors.length);
  const isNew = sql`NOT EXISTS (SELECT 1 FROM contacts WHERE project_id = ${ctx.project.number} AND email = r.value)`;
  return updateState(ctx, job, state, (done / before.totalRows) * 100, {
    result: sql`(SELECT json_object('totalRows', ${before.totalRows}, 'imported', ${before.imported} + count(*),
        'updated', ${before.updated + rows.length} - count(*), 'skipped', ${before.skipped + skipped.length},
        'droppedColumns', json(${JSON.stringify(before.droppedColumns)}))
      FROM json_each(${addresses}) r WHERE ${isNew})`,
    ...(more.length > 0 ? { errors: withMore(more) } : {}),
  });
}

/** Not from memory: an erasure may just have emptied an address in those that are there. */
function withMore(errors: SkippedRow[]): SQL {
  return sql`(SELECT json_group_array(json(value)) FROM (
    SELECT value FROM json_each(jobs.errors) UNION ALL SELECT value FROM json_each(${JSON.stringify(errors)})))`;
}

function upsertRows(ctx: Context, contacts: string, now: number): Statement {
  const { subscribed, optedOutAt, optedOutBy } = bornAs(ctx, { subscribed: null, subscribedByDefault: true });
  const items = sql`json_each(${contacts}) r ${joinErased(ctx, sql`r.value->>'hash'`)}`;
  const data = sql`contacts.data`;
  const counts = upsertCounts(
    sql`SELECT ${ctx.project.number} AS project_id, contacts.id IS NULL AS contacts,
        CASE WHEN contacts.id IS NULL THEN ${subscribed} ELSE 0 END AS subscribed
      FROM ${items}
      LEFT JOIN contacts ON contacts.project_id = ${ctx.project.number} AND contacts.email = r.value->>'email'
      WHERE contacts.id IS NULL OR contacts.source = 'PUBLIC' OR ${merged(data, sql`r.value->'data'`)} <> ${data}`,
  );
  return statement(
    sql`INSERT INTO contacts (project_id, id, email, subscribed, opted_out_at, opted_out_by, source, data, created_at,
        updated_at)
      SELECT ${ctx.project.number}, r.value->>'id', r.value->>'email', ${subscribed}, ${optedOutAt}, ${optedOutBy}, 'IMPORT',
        r.value->'data', ${now}, ${now}
      FROM ${items}
      WHERE true
      ON CONFLICT (project_id, email) DO UPDATE SET data = ${merged(data, sql`excluded.data`)},
        source = iif(contacts.source = 'PUBLIC', 'IMPORT', contacts.source),
        version = contacts.version + 1, updated_at = max(contacts.updated_at, ${now})
      WHERE contacts.source = 'PUBLIC' OR ${merged(data, sql`excluded.data`)} <> ${data}`,
    noRows,
    { before: [counts], refusals: [{ ...refuseLargeData, refuse: () => new TooLargeData() }] },
  );
}

/** A cell is never an object and never null, so json_patch replaces whole keys and deletes none. */
function merged(stored: SQL, sent: SQL): SQL {
  return sql`json_patch(${stored}, ${sent})`;
}

/** The addresses whose data would not fit. */
async function findTooLarge(ctx: Context, chunk: CsvChunk): Promise<Set<string>> {
  const sent = JSON.stringify([...contactsOf(chunk)].map(([email, data]) => ({ email, data })));
  const found = await select(
    ctx.db,
    sql`SELECT r.value->>'email' AS email FROM json_each(${sent}) r
      LEFT JOIN contacts c ON c.project_id = ${ctx.project.number} AND c.email = r.value->>'email'
      WHERE octet_length(${merged(sql`coalesce(c.data, '{}')`, sql`r.value->'data'`)}) > ${maxDataBytes}`,
    columns({ email: asText }),
  );
  return new Set(found.map(({ email }) => email));
}
