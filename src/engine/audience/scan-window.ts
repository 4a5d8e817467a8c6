import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Path } from "./scan-source";

/** Below every id, and above. */
export const belowAll = "";
export const aboveAll = "g";

/** A piece of a path, for a statement that asks a condition of the contacts on it. */
export interface Stretch {
  /** A table of one row for its WITH: the `id` that the stretch ends with, or what lies behind all ids. */
  edge: SQL;
  /** `FROM … WHERE …`, of the contacts `c` on it: each once, and in no order. */
  contacts: SQL;
}

/**
 * The next rows of a path, upward from the id `after`. With `beside`, it ends where either path has had so many rows:
 * what is read of both up to the edge is bounded.
 */
export function stretchUp(
  ctx: Context,
  path: Path,
  { after, rows, beside }: { after: string; rows: number; beside?: Path },
): Stretch {
  const edgeOf = (one: Path) => {
    const { table, id } = rowsOf(ctx, one);
    return sql`coalesce((SELECT ${id} ${table} AND ${id} > ${after} ORDER BY ${id} LIMIT 1 OFFSET ${rows - 1}), ${aboveAll})`;
  };
  return {
    edge: edgeTable(beside ? sql`min(${edgeOf(path)}, ${edgeOf(beside)})` : edgeOf(path)),
    contacts: contactsOn(
      ctx,
      path,
      (id, upTo) => sql`${id} > ${after} AND ${id} ${upTo === "the edge" ? sql`<=` : sql`<`} ${theEdge}`,
    ),
  };
}

/** The next rows of a path, downward from the id `before`: from the newest contact to the oldest. */
export function stretchDown(ctx: Context, path: Path, { before, rows }: { before: string; rows: number }): Stretch {
  const { table, id } = rowsOf(ctx, path);
  const edge = sql`(SELECT ${id} ${table} AND ${id} < ${before} ORDER BY ${id} DESC LIMIT 1 OFFSET ${rows - 1})`;
  return {
    edge: edgeTable(sql`coalesce(${edge}, ${belowAll})`),
    contacts: contactsOn(
      ctx,
      path,
      (id, upTo) => sql`${id} ${upTo === "the edge" ? sql`>=` : sql`>`} ${theEdge} AND ${id} < ${before}`,
    ),
  };
}

const theEdge = sql`(SELECT id FROM edge)`;

function edgeTable(edge: SQL): SQL {
  return sql`edge (id) AS MATERIALIZED (SELECT ${edge})`;
}

/** A condition for the ids on a stretch: with the one at its edge, or only before that. */
type OnStretch = (id: SQL, upTo: "the edge" | "before it") => SQL;

/**
 * Somebody may have any number of events: those of the one at the edge are not read. Whether that one is on the path is
 * then for the condition to say.
 */
function contactsOn(ctx: Context, path: Path, isOn: OnStretch): SQL {
  const { table, id } = rowsOf(ctx, path);
  if (path.along === "contacts") {
    return sql`FROM contacts c INDEXED BY ix_contacts_project_id
      WHERE c.project_id = ${ctx.project.id} AND ${isOn(sql`c.id`, "the edge")}`;
  }
  const counts = path.along === "events" ? sql` AND id >= ${path.firstId}` : sql``;
  return sql`FROM (SELECT ${id} AS id ${table} AND ${isOn(id, "before it")}${counts} GROUP BY ${id}
      UNION ALL SELECT id FROM edge) n
    CROSS JOIN contacts c ON c.id = n.id AND +c.project_id = ${ctx.project.id} WHERE true`;
}

/** `FROM … WHERE …`, and the column with a contact's id: by both, the rows come in order from an index. */
function rowsOf(ctx: Context, path: Path): { table: SQL; id: SQL } {
  const project = ctx.project.id;
  switch (path.along) {
    case "contacts":
      return { table: sql`FROM contacts INDEXED BY ix_contacts_project_id WHERE project_id = ${project}`, id: sql`id` };
    case "events":
      return {
        table: sql`FROM events INDEXED BY ix_events_name_contact WHERE project_id = ${project} AND name = ${path.name}`,
        id: sql`contact_id`,
      };
    case "members":
      return {
        table: sql`FROM segment_members WHERE project_id = ${project} AND segment_id = ${path.segmentId}`,
        id: sql`contact_id`,
      };
    case "email":
      return {
        table: sql`FROM contacts INDEXED BY ux_contacts_email WHERE project_id = ${project} AND email = ${path.email}`,
        id: sql`id`,
      };
  }
}
