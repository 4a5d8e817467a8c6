import { type SQL, sql } from "drizzle-orm";
import type { StorageKind } from "../../../core/storage";
import { type ProjectTable, projectTables } from "../../../db/project-tables";
import { asNumber, asText, columns, type RawRow } from "../../../db/rows";
import { type Statement, statement } from "../../../db/statement";
import { type BlobKind, blobKinds } from "../../../platform/blobs";

/** A table or a kind of files, which is counted window by window. A count that is under way stores the part's name. */
export type Part = { name: string; kind: StorageKind; countedAs: StorageKind } & (
  | { table: ProjectTable }
  | { files: BlobKind }
);

/** The kind of each table. A table that is not named here is `other`. */
const kindOf: Record<string, StorageKind> = {
  ...{ contacts: "contacts", contact_fields: "contacts", contact_topics: "contacts", confirmations: "contacts" },
  ...{ erased_addresses: "contacts", suppressions: "contacts", topics: "contacts" },
  ...{ events: "events", event_names: "events", event_days: "events", event_listeners: "events" },
  ...{ emails: "emails", email_contents: "emails", rounds: "emails", sending_blocks: "emails" },
  ...{ templates: "templates", template_versions: "templates" },
  ...{ campaigns: "campaigns", campaign_pages: "campaigns", campaign_counts: "campaigns" },
  ...{ campaign_left_out: "campaigns", campaign_links: "campaigns", campaign_runs: "campaigns" },
  ...{ workflows: "workflows", workflow_steps: "workflows", workflow_transitions: "workflows" },
  ...{ workflow_ticks: "workflows", workflow_hosts: "workflows" },
  ...{ workflow_executions: "executions", workflow_effects: "executions", workflow_calls: "executions" },
  execution_counts: "executions",
  ...{ segments: "segments", segment_members: "segments", audience_references: "segments" },
  ...{ webhooks: "webhooks", webhook_deliveries: "webhooks", files: "files" },
};

/**
 * The tables whose rows are counted as a kind of their own, so that the rows of kind `contacts` are people. The rows of
 * all other tables are counted as `other`. Bytes are counted under the table's kind in `kindOf`.
 */
const countedRows = new Map<string, StorageKind>([
  ["contacts", "contacts"],
  ["events", "events"],
  ["emails", "emails"],
  ["templates", "templates"],
  ["campaigns", "campaigns"],
  ["workflows", "workflows"],
  ["workflow_executions", "executions"],
  ["segments", "segments"],
  ["webhooks", "webhooks"],
]);

/**
 * All parts, in the order in which they are counted. The copies of mail in the outbox are left out, because they belong
 * to the operator.
 */
export const parts: readonly Part[] = [
  ...projectTables.map(
    (table): Part => ({
      name: table.name,
      kind: kindOf[table.name] ?? "other",
      countedAs: countedRows.get(table.name) ?? "other",
      table,
    }),
  ),
  ...blobKinds
    .filter((files) => files !== "outbox")
    .map((files): Part => ({ name: `files/${files}`, kind: "files", countedAs: "files", files })),
];

/** The maximum number of rows of a window. A statement over this number of rows takes some 40 ms. */
const rowsPerWindow = 20_000;

/**
 * The bytes that a row takes in addition to the octets of its columns: its keys in indexes, and SQLite's own structure.
 * Measured over 20,000 rows: 155 bytes for contacts, events and emails, 170 for executions, 70 for members and
 * deliveries.
 */
const bytesPerRow = 150;

/**
 * A table with more rows than this is counted window by window. All smaller tables together stay within the rows that
 * one statement may read.
 */
const smallRows = 500;

type Counted = { rows: number; bytes: number };

/** Counts the small tables in one statement. Returns the counts by table name. */
export function selectSmall(project: number): Statement<Map<string, Counted>> {
  const counted = projectTables.map((table) => {
    return sql`(SELECT json_array(count(*), coalesce(sum(octets), 0)) FROM (
      SELECT ${octetsOf(table)} AS octets FROM ${sql.identifier(table.name)} WHERE project_id = ${project}
      LIMIT ${sql.raw(String(smallRows + 1))})) AS ${sql.identifier(table.name)}`;
  });
  return statement(sql`SELECT ${sql.join(counted, sql`, `)}`, (raw) => {
    const small = new Map<string, Counted>();
    for (const { name } of projectTables) {
      // The statement above writes this JSON.
      const [rows, octets]: [number, number] = JSON.parse(asText(raw[name]));
      if (rows <= smallRows) small.set(name, { rows, bytes: octets + rows * bytesPerRow });
    }
    return small;
  });
}

function octetsOf({ columns }: ProjectTable): SQL {
  return sql.join(
    columns.map((name) => sql`coalesce(octet_length(${sql.identifier(name)}), 0)`),
    sql` + `,
  );
}

/** The count of one window, and the key after which the next window begins; null after the last window. */
export interface Window extends Counted {
  after: (string | number)[] | null;
}

/**
 * Counts the next rows of a table after a key. `octet_length` does not read long texts that SQLite stores outside the
 * row.
 */
export function selectWindow(
  table: ProjectTable,
  project: number,
  after: (string | number)[] | null,
): Statement<Window> {
  const keys = table.key;
  const read = (raw: RawRow): Window => {
    const { rows, bytes } = readCount(raw);
    const last = keys.map((_, index) => raw[`k${index}`]).filter((value) => isKey(value));
    const isFull = rows === rowsPerWindow && last.length === keys.length;
    return { rows, bytes: bytes + rows * bytesPerRow, after: isFull ? last : null };
  };
  const key = listOf(keys.map((name) => sql.identifier(name)));
  const beyond = after === null ? sql`` : sql`AND (${key}) > (${listOf(after.map((value) => sql`${value}`))})`;
  const named = listOf(keys.map((name, index) => sql`${sql.identifier(name)} AS ${sql.identifier(`k${index}`)}`));
  const aliases = listOf(keys.map((_, index) => sql.identifier(`k${index}`)));
  // SQLite takes the columns next to max(n) from the row with the maximum, which is the last one.
  return statement(
    sql`SELECT count(*) AS rows, coalesce(sum(octets), 0) AS bytes, max(n), ${aliases} FROM (
      SELECT row_number() OVER () AS n, * FROM (
        SELECT ${named}, ${octetsOf(table)} AS octets FROM ${sql.identifier(table.name)}
        WHERE project_id = ${project} ${beyond} ORDER BY ${key} LIMIT ${rowsPerWindow}))`,
    read,
  );
}

const readCount = columns({ rows: asNumber, bytes: asNumber });

function isKey(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function listOf(items: SQL[] | ReturnType<typeof sql.identifier>[]): SQL {
  return sql.join(items, sql`, `);
}
