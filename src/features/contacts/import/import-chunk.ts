import { type SQL, sql } from "drizzle-orm";
import {
  type CsvChunk,
  contactsOf,
  readChunk,
  rowsBeforeRepeat,
  type SkippedRow,
  typesOf,
  withoutTooLarge,
} from "../../../core/contacts/csv-chunk";
import type { CsvFault } from "../../../core/contacts/csv-columns";
import type { CsvPlace } from "../../../core/contacts/csv-windows";
import { maxDataBytes } from "../../../core/contacts/data";
import { addUnheeded, type UnheededRows } from "../../../core/contacts/unheeded-rows";
import { newIdAt } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asText, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, select } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { restoreErased, withHashes } from "../../../engine/contacts/erased-address";
import { insertFieldTypes } from "../../../engine/contacts/field-types";
import { guardState, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { chooseTopics } from "./choose-topics";
import { bringsMoved, type Importing, type ImportState, maxErrors, resultOf } from "./import-job";
import { merged, type NewContacts, TooLargeData, upsertRows } from "./upsert-rows";
import { upsertSubscribed } from "./upsert-subscribed";

/**
 * Thrown when the hashes of a chunk's addresses are needed, because the project has erased people. The chunk is then
 * written with the hashes.
 */
class SomebodyErased extends Error {
  override readonly name = "SomebodyErased";
}

/** A chunk of the file, and the state of the import when the chunk was read. */
interface Read {
  chunk: CsvChunk;
  state: Importing;
  place: CsvPlace;
}

/** Imports the next rows of the file in one batch: counts them, writes them, and moves the job's cursor past them. */
export async function importChunk(
  ctx: Context,
  job: JobRow,
  place: CsvPlace,
  state: Importing,
  maxRows?: number,
): Promise<CsvFault | null> {
  const chunk = readChunk(place.csv, place.start, maxRows);
  if ("fault" in chunk) return chunk;
  try {
    await writeChunk(ctx, job, { chunk, state, place });
  } catch (error) {
    if (!(error instanceof TooLargeData)) throw error;
    // The refusal does not name the address whose data is too large. A query can find it if no address occurs twice, so
    // the chunk is first shortened to the rows before a repeated address.
    const alone = rowsBeforeRepeat(chunk);
    if (alone < chunk.rows.length + chunk.skipped.length) return importChunk(ctx, job, place, state, alone);
    const tooLarge = await findTooLarge(ctx, chunk);
    await writeChunk(ctx, job, { chunk: withoutTooLarge(chunk, tooLarge), state, place });
  }
  return null;
}

/**
 * Writes a chunk. Erased people are recognised by the hashes of their addresses. Hashing a large file takes seconds, so
 * the hashes are computed only after a guard has found that the project has erased people.
 */
async function writeChunk(ctx: Context, job: JobRow, read: Read): Promise<void> {
  const written = newContactsOf(job, read, ctx.clock().getTime());
  const isNobodyErased = sql`NOT EXISTS (SELECT 1 FROM erased_addresses WHERE ${inProject(ctx)})`;
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, job));
  batch.guard(isNobodyErased, () => new SomebodyErased());
  batch.addAll(upsertChunk(ctx, job, read, written));
  try {
    await batch.commit();
  } catch (error) {
    if (!(error instanceof SomebodyErased)) throw error;
    await writeWithHashes(ctx, job, read, written);
  }
}

async function writeWithHashes(ctx: Context, job: JobRow, read: Read, written: NewContacts): Promise<void> {
  const hashed = withHashes(ctx, written.contacts);
  const items = JSON.stringify(hashed.map(({ email, hash }) => ({ email, hash })));
  const batch = openBatch(ctx);
  batch.add(guardState(ctx, job));
  batch.addAll(upsertChunk(ctx, job, read, { ...written, contacts: hashed }));
  batch.addAll(restoreErased(ctx, { items }));
  await batch.commit();
}

function newContactsOf({ id: jobId }: JobRow, { chunk, state }: Read, now: number): NewContacts {
  const contacts = contactsOf(chunk).map((read) => ({ id: newIdAt(read.createdAt ?? now), ...read }));
  return { contacts, jobId, now, bringAll: bringsMoved(state) };
}

/** The events compare a row's subscription and topics with the stored state, so they come before the writes. */
function upsertChunk(ctx: Context, job: JobRow, read: Read, written: NewContacts): Statement[] {
  const addresses = JSON.stringify(written.contacts.map(({ email }) => email));
  const [saying, silent] = bySubscribed(written);
  const topics = chooseTopics(ctx, written);
  return [
    updateProgress(ctx, job, read, addresses),
    ...insertFieldTypes(ctx, typesOf(read.chunk), sql`true`),
    ...topics.events,
    ...(saying.contacts.length > 0 ? upsertSubscribed(ctx, saying) : []),
    ...(silent.contacts.length > 0 ? [upsertRows(ctx, silent)] : []),
    ...topics.choices,
  ];
}

/** Splits the contacts into those whose rows state a subscription, and those whose rows do not. */
function bySubscribed({ contacts, ...rest }: NewContacts): [saying: NewContacts, silent: NewContacts] {
  const saying = contacts.filter(({ subscribed }) => subscribed !== undefined);
  const silent = contacts.filter(({ subscribed }) => subscribed === undefined);
  return [
    { ...rest, contacts: saying },
    { ...rest, contacts: silent },
  ];
}

/** Must run before the upsert, because a contact that does not exist yet counts as imported. */
function updateProgress(ctx: Context, job: JobRow, { chunk, state, place }: Read, addresses: string): Statement {
  const { rows, skipped, next } = chunk;
  const before = resultOf(job);
  const done = before.imported + before.updated + before.skipped + rows.length + skipped.length;
  const after: ImportState = next ? { ...state, ...place.stored(next) } : { phase: "over" };
  const unheeded = withUnheeded(before, rows);
  const more = skipped.slice(0, maxErrors - job.errors.length);
  const isNew = sql`NOT EXISTS (SELECT 1 FROM contacts WHERE ${inProject(ctx)} AND email = r.value)`;
  return updateState(ctx, job, after, (done / before.totalRows) * 100, {
    result: sql`(SELECT json_object('totalRows', ${before.totalRows}, 'imported', ${before.imported} + count(*),
        'updated', ${before.updated + rows.length} - count(*), 'skipped', ${before.skipped + skipped.length},
        'droppedColumns', json(${JSON.stringify(before.droppedColumns)}), 'rowsSayingNo', ${unheeded.rowsSayingNo},
        'rowsUnclear', ${unheeded.rowsUnclear}, 'rowsOptedOut', json(${JSON.stringify(unheeded.rowsOptedOut)}))
      FROM json_each(${addresses}) r WHERE ${isNew})`,
    ...(more.length > 0 ? { errors: withMore(more) } : {}),
  });
}

function withUnheeded(before: UnheededRows, rows: CsvChunk["rows"]): UnheededRows {
  const after = { ...before, rowsOptedOut: { ...before.rowsOptedOut } };
  for (const { unheeded } of rows) addUnheeded(after, unheeded);
  return after;
}

/**
 * Appends to the errors in the row instead of those in memory: an erasure may have emptied an address in the row
 * meanwhile.
 */
function withMore(errors: SkippedRow[]): SQL {
  return sql`(SELECT json_group_array(json(value)) FROM (
    SELECT value FROM json_each(jobs.errors) UNION ALL SELECT value FROM json_each(${JSON.stringify(errors)})))`;
}

/** Finds the addresses whose merged data would be too large. */
async function findTooLarge(ctx: Context, chunk: CsvChunk): Promise<Set<string>> {
  const sent = JSON.stringify(contactsOf(chunk).map(({ email, data }) => ({ email, data })));
  const found = await select(
    ctx.db,
    sql`SELECT r.value->>'email' AS email FROM json_each(${sent}) r
      LEFT JOIN contacts c ON ${inProject(ctx, "c")} AND c.email = r.value->>'email'
      WHERE octet_length(${merged(sql`coalesce(c.data, '{}')`, sql`r.value->'data'`)}) > ${maxDataBytes}`,
    columns({ email: asText }),
  );
  return new Set(found.map(({ email }) => email));
}
