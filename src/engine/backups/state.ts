import type { Key } from "../../db/captured-page";
import type { JobNotes } from "../jobs/job";
import { emptyTally, type Tally } from "./tally";

/** The progress of a backup. The phases follow one another in the order of the list. */
export type BackupState = {
  phase: "clear" | "executions" | "rows" | "release" | "files" | "finish";
  /**
   * The moment of the backup, in milliseconds since 1970. The backup contains the rows in their state at that moment.
   */
  takenAt: number;
  /** The columns of all tables at the moment of the backup. A deploy may change them while the backup runs. */
  shape: string;
  /** The index of the current table, shard or kind of files. */
  index: number;
  /**
   * The key after which the next page begins: that of a row, of an execution within its shard (as JSON), or of a file.
   */
  after: Key | null;
  /** The counts of the current table, shard or files. */
  tally: Tally;
  /** The counts of the tables and shards that are complete, by name. */
  tables: Record<string, Tally>;
  executions: Record<string, Tally>;
};

export const firstBackupState: BackupState = {
  ...{ phase: "clear", takenAt: 0, shape: "", index: 0, after: null },
  ...{ tally: emptyTally, tables: {}, executions: {} },
};

/** Returns the state in the form that a job stores. */
export function notesOf(state: BackupState): JobNotes {
  return state;
}
