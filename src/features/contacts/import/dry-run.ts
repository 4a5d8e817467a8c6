import { sql } from "drizzle-orm";
import type { z } from "zod";
import { kindOf } from "../../../core/contacts/column-kinds";
import { type Csv, maxCsvBytes } from "../../../core/contacts/csv";
import { mergedRow, type SkippedRow } from "../../../core/contacts/csv-chunk";
import type { ReadRow } from "../../../core/contacts/csv-row";
import { type CsvScan, scanCsv } from "../../../core/contacts/csv-scan";
import { maxDataBytes } from "../../../core/contacts/data";
import type { FieldType } from "../../../core/contacts/field-type";
import { afterRow, type BeforeRow } from "../../../core/contacts/imported-contact";
import { warningsOf } from "../../../core/contacts/unheeded-rows";
import { Invalid } from "../../../core/errors";
import { utf8Bytes } from "../../../core/json";
import { isoOrNull } from "../../../core/time";
import { asNumber, asOneOf, asText, columns, orNull, wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import { contacts } from "../../../db/tables";
import { joinErased, withHashes } from "../../../engine/contacts/erased-address";
import type { Context } from "../../../platform/context";
import { type Asked, Uploaded } from "./import-job";
import { fileFault, openFile } from "./open-file";
import type { ImportPlan } from "./schema";
import { fileTooLarge } from "./start";

/** Implements `POST /contacts/import?dryRun=true`: returns what the import would store, and stores nothing. */
export async function dryRunImport(
  ctx: Context,
  file: Uint8Array,
  given: Partial<Asked>,
): Promise<z.infer<typeof ImportPlan>> {
  if (file.byteLength > maxCsvBytes) throw fileTooLarge();
  const asked = Uploaded.parse({ phase: "uploaded", ...given });
  const csv = await openFile(ctx, file, asked);
  if ("fault" in csv) throw new Invalid([fileFault(csv)]);
  return planOf(ctx, csv);
}

/** Returns what an import would do with the rows of an opened file. */
export async function planOf(ctx: Context, csv: Csv): Promise<z.infer<typeof ImportPlan>> {
  const scan = scanCsv(csv);
  if ("fault" in scan) throw new Invalid([fileFault(scan)]);
  const { rows, tooLarge } = await storedRows(ctx, scan);
  const warnings = warningsOf(scan.unheeded);
  return {
    totalRows: scan.totalRows,
    rows,
    columns: await columnsOf(ctx, csv, scan),
    droppedColumns: csv.dropped,
    duplicates: scan.duplicates,
    invalid: scan.invalid + tooLarge.length,
    errors: [...scan.errors, ...tooLarge].toSorted((one, other) => one.row - other.row),
    unsubscribedRows: scan.unsubscribedRows,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

interface StoredRows {
  rows: z.infer<typeof ImportPlan>["rows"];
  /** Rows whose data would be too large once it is merged into the contact's stored data. */
  tooLarge: SkippedRow[];
}

/**
 * Returns the first rows, each as its contact would be afterwards. Rows with the same address are one contact: later
 * rows override earlier ones.
 */
async function storedRows(ctx: Context, { first }: CsvScan): Promise<StoredRows> {
  const addresses = [...new Set(first.map(({ email }) => email))];
  const emails = withHashes(
    ctx,
    addresses.map((email) => ({ email })),
  );
  const [stored, erased] = await Promise.all([storedContacts(ctx, emails), erasedAt(ctx, emails)]);
  const now = ctx.now.getTime();
  const earlier = new Map<string, ReadRow>();
  const rows: StoredRows["rows"] = [];
  const tooLarge: SkippedRow[] = [];
  for (const { row, ...read } of first) {
    const { email } = read;
    const merged = mergedRow(earlier.get(email), read);
    const after = afterRow(stored.get(email) ?? null, merged, { now, erasedAt: erased.get(email) ?? null });
    if (utf8Bytes(JSON.stringify(after.data)) > maxDataBytes) {
      tooLarge.push({ row, email, reason: "data_too_large" });
      continue;
    }
    const isNew = !stored.has(email) && !earlier.has(email);
    earlier.set(email, merged);
    const { createdAt, optedOutAt, confirmedAt, ...others } = after;
    rows.push({
      ...{ row, isNew, email, ...others },
      ...{ createdAt: isoOrNull(createdAt), optedOutAt: isoOrNull(optedOutAt), confirmedAt: isoOrNull(confirmedAt) },
      ...(merged.topics === undefined ? {} : { topics: merged.topics.split("|").filter((slug) => slug !== "") }),
    });
  }
  return { rows, tooLarge };
}

async function storedContacts(ctx: Context, emails: { email: string }[]): Promise<Map<string, BeforeRow>> {
  const found = await select(
    ctx.db,
    sql`SELECT contacts.* FROM json_each(${JSON.stringify(emails)}) r
      CROSS JOIN contacts ON ${inProject(ctx, "contacts")} AND contacts.email = r.value->>'email'`,
    wholeRow(contacts),
  );
  return new Map(
    found.map(({ snoozedUntil, ...contact }) => [contact.email, { ...contact, isSnoozed: snoozedUntil !== null }]),
  );
}

/**
 * Finds the erased people among the addresses, each with the time of the opt-out, or null if the person had not opted
 * out.
 */
async function erasedAt(ctx: Context, emails: { email: string; hash: string }[]): Promise<Map<string, number | null>> {
  const found = await select(
    ctx.db,
    sql`SELECT r.value->>'email' AS email, erased.opted_out_at FROM json_each(${JSON.stringify(emails)}) r
      ${joinErased(ctx, sql`r.value->>'hash'`)} WHERE erased.hash IS NOT NULL`,
    columns({ email: asText, optedOutAt: orNull(asNumber) }),
  );
  return new Map(found.map(({ email, optedOutAt }) => [email, optedOutAt]));
}

const mostColumnsShown = 1_000;

/**
 * Returns what each column is used for. A key of data has the type that the project knows for it, or otherwise the type
 * of its first value in the file.
 */
async function columnsOf(ctx: Context, csv: Csv, { types }: CsvScan): Promise<z.infer<typeof ImportPlan>["columns"]> {
  const known = await fieldTypesOf(
    ctx,
    csv.columns.slice(0, mostColumnsShown).map(({ key }) => key),
  );
  const fields = new Map<number, { field: string; type: FieldType | null }>();
  fields.set(csv.emailAt, { field: "email", type: "string" });
  if (csv.subscribedAt !== null) fields.set(csv.subscribedAt, { field: "subscribed", type: "boolean" });
  for (const [name, at] of csv.moved?.at ?? []) {
    fields.set(at, { field: name, type: name === "topics" ? "string" : kindOf(name).type });
  }
  for (const { at, key } of csv.columns) {
    fields.set(at, { field: `data.${key}`, type: known.get(key) ?? types.get(key) ?? null });
  }
  return csv.names
    .slice(0, mostColumnsShown)
    .map((column, at) => ({ column, ...(fields.get(at) ?? { field: null, type: null }) }));
}

async function fieldTypesOf(ctx: Context, keys: string[]): Promise<Map<string, FieldType>> {
  const found = await select(
    ctx.db,
    sql`SELECT f.key, f.type FROM json_each(${JSON.stringify(keys)}) k
      CROSS JOIN contact_fields f ON ${inProject(ctx, "f")} AND f.key = k.value`,
    columns({ key: asText, type: asOneOf<FieldType>() }),
  );
  return new Map(found.map(({ key, type }) => [key, type]));
}
