import { type SQL, sql } from "drizzle-orm";
import type { Csv, CsvFault } from "../../../core/contacts/csv";
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
import type { UnheededRows } from "../../../core/contacts/unheeded-rows";
import { newIdAt } from "../../../core/ids";
import { openBatch } from "../../../db/batch";
import { asText, columns } from "../../../db/rows";
import { type Statement, select } from "../../../db/statement";
import type { JobRow } from "../../../db/tables";
import { restoreErased, withHashes } from "../../../engine/contacts/erased-address";
import { insertFieldTypes } from "../../../engine/contacts/field-types";
import { guardState, updateState } from "../../../engine/jobs/step";
import type { Context } from "../../../platform/context";
import { chooseTopics } from "./choose-topics";
import { type ImportState, maxErrors, resultOf } from "./import-job";
import { merged, type NewContacts, TooLargeData, upsertRows } from "./upsert-rows";
import { upsertSubscribed } from "./upsert-subscribed";

/** A chunk without hashes was refused, as the project remembers somebody who was erased. */
class SomebodyErased extends Error {
  override readonly name = "SomebodyErased";
}

/** Where an import is, and what its upload asked for. */
export type Importing = Extract<ImportState, { phase: "importing" }>;

/** A chunk, and where it was read. */
interface Read {
  chunk: CsvChunk;
  state: Importing;
}

/** The next rows of an import in one batch: counted, then written, and the job's place behind them. */
export async function importChunk(
  ctx: Context,
  job: JobRow,
  csv: Csv,
  state: Importing,
  maxRows?: number,
): Promise<CsvFault | null> {
  const chunk = readChunk(csv, state, maxRows);
  if ("fault" in chunk) return chunk;
  try {
    await writeChunk(ctx, job, { chunk, state });
  } catch (error) {
    if (!(error instanceof TooLargeData)) throw error;
    // Whose data it is shows when each address comes once.
    const alone = rowsBeforeRepeat(chunk);
    if (alone < chunk.rows.length + chunk.skipped.length) return importChunk(ctx, job, csv, state, alone);
    const tooLarge = await findTooLarge(ctx, chunk);
    await writeChunk(ctx, job, { chunk: withoutTooLarge(chunk, tooLarge), state });
  }
  return null;
}

/**
 * Who was erased is recognised by the hash of the address, and those of a large file take seconds: they are only made in
 * a project that remembers somebody, as the batch itself finds out.
 */
async function writeChunk(ctx: Context, job: JobRow, read: Read): Promise<void> {
  const written = newContactsOf(read, ctx.clock().getTime());
  const isNobodyErased = sql`NOT EXISTS (SELECT 1 FROM erased_addresses WHERE project_id = ${ctx.project.number})`;
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

function newContactsOf({ chunk, state }: Read, now: number): NewContacts {
  const contacts = contactsOf(chunk).map((read) => ({ id: newIdAt(read.createdAt ?? now), ...read }));
  return { contacts, now, bringAll: state.takesAll };
}

/** What a row says of a subscription or of topics is compared with what was, so the events of that go first. */
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

/** The contacts whose rows say whether they are subscribed, and the others. */
function bySubscribed({ contacts, ...rest }: NewContacts): [saying: NewContacts, silent: NewContacts] {
  const saying = contacts.filter(({ subscribed }) => subscribed !== undefined);
  const silent = contacts.filter(({ subscribed }) => subscribed === undefined);
  return [
    { ...rest, contacts: saying },
    { ...rest, contacts: silent },
  ];
}

/** Goes before the upsert: a contact that is not there yet is one that is imported. */
function updateProgress(ctx: Context, job: JobRow, { chunk, state }: Read, addresses: string): Statement {
  const { rows, skipped, next } = chunk;
  const before = resultOf(job);
  const done = before.imported + before.updated + before.skipped + rows.length + skipped.length;
  const after: ImportState = next ? { ...state, ...next } : { phase: "over" };
  const unheeded = withUnheeded(before, rows);
  const more = skipped.slice(0, maxErrors - job.errors.length);
  const isNew = sql`NOT EXISTS (SELECT 1 FROM contacts WHERE project_id = ${ctx.project.number} AND email = r.value)`;
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
  const said = (what: "no" | "unclear") => rows.filter(({ unheeded }) => unheeded.says === what).length;
  const rowsOptedOut = { ...before.rowsOptedOut };
  for (const column of rows.flatMap(({ unheeded }) => unheeded.optOuts))
    rowsOptedOut[column] = (rowsOptedOut[column] ?? 0) + 1;
  return {
    rowsSayingNo: before.rowsSayingNo + said("no"),
    rowsUnclear: before.rowsUnclear + said("unclear"),
    rowsOptedOut,
  };
}

/** Not from memory: an erasure may just have emptied an address in those that are there. */
function withMore(errors: SkippedRow[]): SQL {
  return sql`(SELECT json_group_array(json(value)) FROM (
    SELECT value FROM json_each(jobs.errors) UNION ALL SELECT value FROM json_each(${JSON.stringify(errors)})))`;
}

/** The addresses whose data would not fit. */
async function findTooLarge(ctx: Context, chunk: CsvChunk): Promise<Set<string>> {
  const sent = JSON.stringify(contactsOf(chunk).map(({ email, data }) => ({ email, data })));
  const found = await select(
    ctx.db,
    sql`SELECT r.value->>'email' AS email FROM json_each(${sent}) r
      LEFT JOIN contacts c ON c.project_id = ${ctx.project.number} AND c.email = r.value->>'email'
      WHERE octet_length(${merged(sql`coalesce(c.data, '{}')`, sql`r.value->'data'`)}) > ${maxDataBytes}`,
    columns({ email: asText }),
  );
  return new Set(found.map(({ email }) => email));
}
