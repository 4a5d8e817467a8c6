import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { ScanSource } from "./scan-source";

/** Below every id, and above. */
export const belowAll = "";
export const aboveAll = "g";

/** A piece of a source, for a statement that asks a condition of the contacts on it. */
export interface ScanWindow {
  /** A table of one row for its WITH: the `id` that the stretch ends with, or what lies behind all ids. */
  edge: SQL;
  /** `FROM … WHERE …`, of the contacts `c` on it: each once, and in no order. */
  contacts: SQL;
}

/**
 * The next rows of a source, upward from the id `after`. With `beside`, it ends where either source has had so many rows:
 * what is read of both up to the edge is bounded.
 */
export function windowUp(
  ctx: Context,
  source: ScanSource,
  { after, rows, beside }: { after: string; rows: number; beside?: ScanSource },
): ScanWindow {
  const edgeOf = (one: ScanSource) => {
    const { table, id } = rowsOf(ctx, one);
    return sql`coalesce((SELECT ${id} ${table} AND ${id} > ${after} ORDER BY ${id} LIMIT 1 OFFSET ${rows - 1}), ${aboveAll})`;
  };
  return {
    edge: edgeTable(beside ? sql`min(${edgeOf(source)}, ${edgeOf(beside)})` : edgeOf(source)),
    contacts: contactsOn(
      ctx,
      source,
      (id, upTo) => sql`${id} > ${after} AND ${id} ${upTo === "the edge" ? sql`<=` : sql`<`} ${theEdge}`,
    ),
  };
}

/** The next rows of a source, downward from the id `before`: from the newest contact to the oldest. */
export function windowDown(
  ctx: Context,
  source: ScanSource,
  { before, rows }: { before: string; rows: number },
): ScanWindow {
  const { table, id } = rowsOf(ctx, source);
  const edge = sql`(SELECT ${id} ${table} AND ${id} < ${before} ORDER BY ${id} DESC LIMIT 1 OFFSET ${rows - 1})`;
  return {
    edge: edgeTable(sql`coalesce(${edge}, ${belowAll})`),
    contacts: contactsOn(
      ctx,
      source,
      (id, upTo) => sql`${id} ${upTo === "the edge" ? sql`>=` : sql`>`} ${theEdge} AND ${id} < ${before}`,
    ),
  };
}

const theEdge = sql`(SELECT id FROM edge)`;

function edgeTable(edge: SQL): SQL {
  return sql`edge (id) AS MATERIALIZED (SELECT ${edge})`;
}

/** A condition for the ids on a stretch: with the one at its edge, or only before that. */
type InWindow = (id: SQL, upTo: "the edge" | "before it") => SQL;

/**
 * Somebody may have any number of events: those of the one at the edge are not read. Whether that one is on the source is
 * then for the condition to say.
 */
function contactsOn(ctx: Context, source: ScanSource, isOn: InWindow): SQL {
  const { table, id } = rowsOf(ctx, source);
  if (source.over === "contacts") {
    return sql`FROM contacts c INDEXED BY ix_contacts_project_id
      WHERE c.project_id = ${ctx.project.id} AND ${isOn(sql`c.id`, "the edge")}`;
  }
  const counts = source.over === "events" ? sql` AND id >= ${source.firstId}` : sql``;
  return sql`FROM (SELECT ${id} AS id ${table} AND ${isOn(id, "before it")}${counts} GROUP BY ${id}
      UNION ALL SELECT id FROM edge) n
    CROSS JOIN contacts c ON c.id = n.id AND +c.project_id = ${ctx.project.id} WHERE true`;
}

/** `FROM … WHERE …`, and the column with a contact's id: by both, the rows come in order from an index. */
function rowsOf(ctx: Context, source: ScanSource): { table: SQL; id: SQL } {
  const project = ctx.project.id;
  switch (source.over) {
    case "contacts":
      return { table: sql`FROM contacts INDEXED BY ix_contacts_project_id WHERE project_id = ${project}`, id: sql`id` };
    case "events":
      return {
        table: sql`FROM events INDEXED BY ix_events_name_contact WHERE project_id = ${project} AND name = ${source.name}`,
        id: sql`contact_id`,
      };
    case "members":
      return {
        table: sql`FROM segment_members WHERE project_id = ${project} AND segment_id = ${source.segmentId}`,
        id: sql`contact_id`,
      };
    case "email":
      return {
        table: sql`FROM contacts INDEXED BY ux_contacts_email WHERE project_id = ${project} AND email = ${source.email}`,
        id: sql`id`,
      };
  }
}
