import type { Key } from "../../db/captured-page";
import type { ProjectTable } from "../../db/project-tables";
import type { JobRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import type { JobNotes } from "../jobs/job";

/** The progress of a move. The phases follow one another in the order of the list; only `replay` may occur again. */
export type MoveState = {
  phase: "clear" | "capture" | "copy" | "replay" | "check" | "fence" | "back";
  /** The number of steps so far. It changes with every step, so that a late run of an earlier step writes nothing. */
  steps: number;
  /** The index of the current table. */
  index: number;
  /** The key after which the next page begins. */
  after: Key | null;
  /** The columns of all tables when the move began. A deploy may change them while the move runs. */
  shape: string;
  copied: number;
  compared: number;
  /** Whether every table has been compared. */
  isChecked: boolean;
  /** The reason why the move turns back; null if it does not. */
  reason: string | null;
};

export const firstMoveState: MoveState = {
  ...{ phase: "clear", steps: 0, index: 0, after: null, shape: "" },
  ...{ copied: 0, compared: 0, isChecked: false, reason: null },
};

/** Returns the state in the form that a job stores. */
export function notesOfMove(state: MoveState): JobNotes {
  return state;
}

/** A move that a run works on. `ctx.db` is the database to which the project moves: the job's row is there. */
export interface Move {
  ctx: Context;
  row: JobRow;
  state: MoveState;
  from: string;
  to: string;
  /** The tables that are copied. */
  tables: readonly ProjectTable[];
}

/** Returns what identifies the move in the database that the project leaves. */
export function sourceOf({ ctx, row, from }: Move) {
  return { project: ctx.project, jobId: row.id, db: ctx.databaseOf(from) };
}

/** Returns what identifies the move in the database to which the project moves. */
export function targetOf({ ctx, row }: Move) {
  return { project: ctx.project, jobId: row.id, db: ctx.db };
}

export function progressOf({ phase, index, isChecked }: MoveState, tables: readonly unknown[]): number {
  const share = index / Math.max(1, tables.length);
  if (phase === "copy") return 5 + 55 * share;
  if (phase === "check") return 65 + 25 * share;
  if (phase === "replay") return isChecked ? 90 : 62;
  return phase === "fence" ? 95 : 1;
}

/** The rows in the two databases are not the same, and no change of the project explains it. */
export class Different extends Error {
  override readonly name = "Different";

  /** `move` has the state that the failed step stored. */
  constructor(
    message: string,
    readonly move: Move,
  ) {
    super(message);
  }
}
