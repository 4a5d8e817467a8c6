import type { Key } from "../../db/captured-page";
import type { JobNotes } from "../jobs/job";
import { emptyTally, type Tally } from "./tally";

/** How far a backup is. The phases follow one another in this order. */
export type BackupState = {
  phase: "clear" | "executions" | "rows" | "release" | "files" | "finish";
  /** The moment whose rows the backup has, in milliseconds since 1970. */
  takenAt: number;
  /** The columns of all tables at that moment: a deploy may change them while the backup goes on. */
  shape: string;
  /** The number of the table, or of the shard. */
  place: number;
  /** The key after which the next page begins: of rows, of an execution's shard as JSON, or of a file. */
  after: Key | null;
  /** The parts of the present table or shard. */
  tally: Tally;
  /** The parts of those before it, by their names. */
  tables: Record<string, Tally>;
  executions: Record<string, Tally>;
};

export const firstBackupState: BackupState = {
  ...{ phase: "clear", takenAt: 0, shape: "", place: 0, after: null },
  ...{ tally: emptyTally, tables: {}, executions: {} },
};

/** The state as a job stores it. */
export function notesOf(state: BackupState): JobNotes {
  return state;
}
