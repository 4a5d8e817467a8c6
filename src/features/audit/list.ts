import { type SQL, sql } from "drizzle-orm";
import { firstIdAt, readId, textOf } from "../../core/ids";
import { ById, cursorPage, type Page, readCursor } from "../../core/page";
import { openBatch } from "../../db/batch";
import type { Db } from "../../db/client";
import type { CursorQuery } from "../../db/list-rows";
import { asNumber, asText, columns, orNull, wholeRow } from "../../db/rows";
import { inProject } from "../../db/scope";
import { statement } from "../../db/statement";
import { type AuditEntryRow, auditEntries } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { entryJson } from "./entry";
import type { AuditFilters } from "./schema";

/**
 * The maximum number of entries that one statement scans. If this window ends before the page is full, the page is
 * shorter, and the cursor continues at the end of the window.
 */
const windowRows = 10_000;

interface Log {
  databases: readonly Db[];
  project: number;
}

/** Returns a page of entries, newest first. Throws BadRequest for a cursor of another list. */
export async function listAudit(
  platform: Platform,
  { databases, project }: Log,
  filters: AuditFilters,
  { cursor, limit }: CursorQuery,
): Promise<Page<ReturnType<typeof entryJson>>> {
  const { startDate, endDate, ...named } = filters;
  const given = { ...named, from: startDate?.from, to: endDate?.to };
  const [after = null] = readCursor(cursor, ById, given) ?? [];
  const window = windowOf(project, filters, after);
  const found = await Promise.all(databases.map((db) => readWindow(platform, db, window, filters, limit)));
  // The page ends at the newest edge. Below that edge, one database may have unread entries, so older entries of the
  // other database are left for the next page.
  const [edge = null] = found
    .flatMap((one) => one.edge ?? [])
    .toSorted()
    .toReversed();
  const rows = found
    .flatMap((one) => one.rows)
    .filter(({ id }) => edge === null || textOf(id) >= edge)
    .toSorted((one, other) => (textOf(one.id) < textOf(other.id) ? 1 : -1));
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last ? textOf(last.id) : edge;
  return cursorPage(shown.map(entryJson), {
    next: next === null ? null : [next],
    filters: given,
    total: after === null ? found.reduce((sum, { matching }) => sum + matching, 0) : 0,
    countedAt: after === null && edge !== null ? platform.now : null,
  });
}

/**
 * Returns what follows FROM in a query for the newest entries after the cursor. A target has fewer entries than an
 * actor, so the index by target is preferred.
 */
function windowOf(project: number, { actor, target, startDate, endDate }: AuditFilters, after: string | null): SQL {
  const conditions = [
    inProject({ project: { number: project } }),
    ...(target === undefined ? [] : [sql`target_id = ${readId(target)}`]),
    ...(target === undefined && actor !== undefined ? [isBy(actor)] : []),
    ...(startDate === undefined ? [] : [sql`id >= ${firstIdAt(startDate.from)}`]),
    ...(endDate === undefined ? [] : [sql`id < ${firstIdAt(endDate.to)}`]),
    ...(after === null ? [] : [sql`id < ${after}`]),
  ];
  const index =
    target !== undefined ? "ix_audit_entries_target" : actor !== undefined ? "ix_audit_entries_actor" : null;
  const entries = sql.raw(index === null ? "audit_entries" : `audit_entries INDEXED BY ${index}`);
  return sql`${entries} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY id DESC LIMIT ${windowRows}`;
}

function isBy(actor: string): SQL {
  return actor === "operator" ? sql`actor_id IS NULL` : sql`actor_id = ${readId(actor)}`;
}

const readScanned = columns({ scanned: asNumber, matching: asNumber, edge: orNull(asText) });

interface Found {
  rows: AuditEntryRow[];
  matching: number;
  /** The oldest entry of the window, when there might be more entries after it; null for the last window. */
  edge: string | null;
}

async function readWindow(
  platform: Platform,
  db: Db,
  window: SQL,
  { actor, action }: AuditFilters,
  limit: number,
): Promise<Found> {
  const isMatch = sql`${actor === undefined ? sql`true` : isBy(actor)}
    AND ${action === undefined ? sql`true` : sql`action = ${action}`}`;
  const batch = openBatch(platform, db);
  const rows = batch.add(
    statement(
      sql`SELECT * FROM (SELECT * FROM ${window}) WHERE ${isMatch} ORDER BY id DESC LIMIT ${limit + 1}`,
      wholeRow(auditEntries),
    ),
  );
  const scanned = batch.add(
    statement(
      sql`SELECT count(*) AS scanned, count(iif(${isMatch}, 1, NULL)) AS matching, min(id) AS edge
        FROM (SELECT id, action, actor_id FROM ${window})`,
      readScanned,
    ),
  );
  await batch.commit();
  const { matching, edge } = scanned.one;
  return { rows: rows.all, matching, edge: scanned.one.scanned < windowRows ? null : edge };
}
