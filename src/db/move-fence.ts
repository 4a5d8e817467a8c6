import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../core/ids";
import { dropTriggers, keyColumns, keyOf } from "./capture";
import type { Db } from "./client";
import type { ProjectTable } from "./project-tables";
import { columns } from "./rows";
import { inProject, type Owner } from "./scope";
import { guard, type Statement, statement } from "./statement";
import { fencedText } from "./trouble";

/**
 * The triggers of a move between databases. The fence refuses every write of the project's rows while the project's row
 * in `moves` says `fenced`, so changing that one row raises or lifts the fence. In the database that the project
 * leaves, other triggers note the keys of changed rows.
 *
 * The triggers exist only while a project moves. Their text contains the project's number, because a trigger cannot
 * have parameters.
 */

/**
 * The prefix of the names of a move's triggers. Tools that compare the tables with the migrations ignore triggers with
 * such names.
 */
const prefixOf = (project: number) => `capture_move_${project}_`;

/** The project that moves, and the job that moves it. */
export interface MoveOwner extends Owner {
  jobId: Id;
}

/** Matches the rows that a move takes along. The jobs that move or erase the project stay where they are. */
export function isTakenAlong({ name }: ProjectTable, row: string): string {
  return name === "jobs" ? ` AND ${row}.type NOT IN ('project.move', 'project.erase')` : "";
}

const events = { INSERT: ["NEW"], UPDATE: ["OLD", "NEW"], DELETE: ["OLD"] } as const;

/** Creates the triggers that refuse writes while the fence is up. */
export function createFences(project: number, tables: readonly ProjectTable[]): Statement[] {
  const isFenced = `EXISTS (SELECT 1 FROM moves WHERE project_id = ${project} AND stage = 'fenced')`;
  return tables.flatMap((table) =>
    Object.entries(events).map(([event, [row]]) =>
      trigger(`${prefixOf(project)}${table.name}_${event.toLowerCase()}_fence`, {
        on: `BEFORE ${event} ON ${table.name}`,
        when: `${row}.project_id = ${project}${isTakenAlong(table, row)} AND ${isFenced}`,
        does: `SELECT RAISE(ABORT, '${fencedText}');`,
      }),
    ),
  );
}

/** Creates the triggers that note the keys of changed rows. */
export function createNotes(project: number, tables: readonly ProjectTable[]): Statement[] {
  return tables.flatMap((table) =>
    Object.entries(events).map(([event, rows]) =>
      trigger(`${prefixOf(project)}${table.name}_${event.toLowerCase()}_note`, {
        on: `AFTER ${event} ON ${table.name}`,
        when: `${rows[0]}.project_id = ${project}${isTakenAlong(table, rows[0])}`,
        // Does not use OR REPLACE, because a conflict clause of the statement that fires the trigger would override it.
        does: rows.map((row) => noteKey(project, table, row)).join(" "),
      }),
    ),
  );
}

function noteKey(project: number, table: ProjectTable, row: string): string {
  const key = keyOf(table, row);
  const isIt = keyColumns.map((column, index) => `${column} = ${key[index]}`).join(" AND ");
  return `DELETE FROM moved_keys WHERE project_id = ${project} AND table_name = '${table.name}' AND ${isIt};
    INSERT INTO moved_keys (project_id, table_name, ${keyColumns.join(", ")}) VALUES (${project}, '${table.name}', ${key.join(", ")});`;
}

function trigger(name: string, { on, when, does }: { on: string; when: string; does: string }): Statement {
  return statement(sql.raw(`CREATE TRIGGER IF NOT EXISTS ${name} ${on} WHEN ${when} BEGIN ${does} END`));
}

/** Drops the triggers of all moves of a project in a database. */
export function dropMoveTriggers(db: Db, project: number): Promise<Statement[]> {
  return dropTriggers(db, prefixOf(project));
}

type Stage = "capturing" | "fenced" | "passing" | "over";

/** Thrown when the move is no longer the latest one of its project in this database, or has reached a later stage. */
export class OutOfStep extends Error {
  override readonly name = "OutOfStep";
}

/** Begins a move in a database. A later move of the project replaces an earlier one, never the reverse. */
export function beginMove({ project, jobId }: MoveOwner, stage: Stage): Statement[] {
  return [
    statement(
      sql`INSERT INTO moves (project_id, job_id, stage) VALUES (${project.number}, ${jobId}, ${stage})
        ON CONFLICT DO UPDATE SET job_id = excluded.job_id, stage = excluded.stage WHERE job_id < excluded.job_id`,
    ),
    guardStage({ project, jobId }, stage),
  ];
}

/**
 * Changes the stage of this move from `from` to `to`. Does nothing if the move is not the latest one or is at another
 * stage.
 */
export function updateStage(owner: MoveOwner, from: Stage, to: Stage): Statement {
  return statement(
    sql`UPDATE moves SET stage = ${to} WHERE ${inProject(owner)} AND job_id = ${owner.jobId} AND stage = ${from}`,
  );
}

/** Ends this move in a database. A move that has not begun there can no longer begin. */
export function endMove({ project, jobId }: MoveOwner): Statement[] {
  return [
    statement(
      sql`INSERT INTO moves (project_id, job_id, stage) VALUES (${project.number}, ${jobId}, 'over')
        ON CONFLICT DO UPDATE SET job_id = excluded.job_id, stage = excluded.stage WHERE job_id <= excluded.job_id`,
    ),
    guardStage({ project, jobId }, "over"),
  ];
}

export function guardStage(owner: MoveOwner, stage: Stage): Statement {
  return guard(isAt(owner, stage), () => new OutOfStep());
}

function isAt(owner: MoveOwner, stage: Stage): SQL {
  return sql`EXISTS (SELECT 1 FROM moves WHERE ${inProject(owner)} AND job_id = ${owner.jobId} AND stage = ${stage})`;
}

/**
 * Lets statements of the move itself pass its fence. D1 runs no other statement between those of a batch, so the fence
 * still stops all other writes.
 */
export function passFence(owner: MoveOwner, statements: readonly Statement[]): Statement[] {
  return [
    guardStage(owner, "fenced"),
    updateStage(owner, "fenced", "passing"),
    ...statements,
    updateStage(owner, "passing", "fenced"),
  ];
}

/**
 * Deletes at most `rows` keys of a project from `moved_keys`, and only those whose number is at most `upTo`. Returns a
 * row for each deleted key.
 */
export function deleteNotes(owner: Owner, rows: number, upTo = Number.MAX_SAFE_INTEGER): Statement<unknown> {
  return statement(
    sql`DELETE FROM moved_keys WHERE number IN (SELECT number FROM moved_keys INDEXED BY ix_moved_keys_order
        WHERE ${inProject(owner)} AND number <= ${upTo} ORDER BY number LIMIT ${rows})
      AND ${inProject(owner)} RETURNING 1`,
    columns({}),
  );
}
