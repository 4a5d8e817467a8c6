import type { Id } from "../ids";

/** A move of a project between databases, as the project's own row tells it. */
export type ProjectMove = {
  jobId: Id;
  /** The bindings of the two databases. */
  from: string;
  to: string;
  /** From this time on, isolates do not cache the project any more. */
  startedAt: number;
  /**
   * The move copies the rows, or deletes what it has copied. Or the project lives in the new database, which is about to
   * be opened for writes, or has been: then only the old rows are left to be deleted.
   */
  stage: "copying" | "turning back" | "opening" | "leaving";
  /** The run that has raised the fence, or is about to. Only this run may switch. */
  fence?: number | null;
  /** When it raised it. */
  fencedAt?: number | null;
  /** When the old rows may be deleted. */
  leavesAt?: number;
};

/** Whether the project is between two databases. Isolates then read it again for each piece of work. */
export function isMoving({ move }: { move: ProjectMove | null }): boolean {
  return move !== null && move.stage !== "leaving";
}
