import type { Id } from "../ids";

/** A move of a project between databases, as recorded in the project's row. */
export type ProjectMove = {
  jobId: Id;
  /** The bindings of the two databases. */
  from: string;
  to: string;
  /** When the move began. From this time on, isolates no longer cache the project. */
  startedAt: number;
  /**
   * "copying": the rows are copied. "turning back": the copied rows are deleted again. "opening": the project lives in
   * the new database, which does not accept writes yet. "leaving": the new database accepts writes, and the old rows
   * are still to be deleted.
   */
  stage: "copying" | "turning back" | "opening" | "leaving";
  /**
   * The run that has raised the fence, or is about to. The fence refuses writes to the project's rows, and only this
   * run may switch the project to the new database.
   */
  fence?: number | null;
  /** When the fence was raised. */
  fencedAt?: number | null;
  /** When the old rows may be deleted. */
  leavesAt?: number;
};

/** Whether the project is between two databases. If so, an isolate does not cache the project's row. */
export function isMoving({ move }: { move: ProjectMove | null }): boolean {
  return move !== null && move.stage !== "leaving";
}
