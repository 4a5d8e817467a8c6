import type { JobNotes } from "../../jobs/job";

/**
 * The number of rows that a restore has changed, by kind. A restore changes rows whose work the original project may
 * have done since the backup.
 */
export interface Changed {
  /** Emails that were still to be sent, or whose outcome was open. They become UNKNOWN. */
  emails: number;
  /** Campaigns that were being sent. They become paused. */
  pausedCampaigns: number;
  /** Campaigns that were scheduled. They become drafts. */
  unscheduledCampaigns: number;
  /** Webhooks. They are disabled. */
  webhooks: number;
  /** Sender domains. They are checked again. */
  domains: number;
  /** Jobs that would have sent, called or started something. They become failed. */
  jobs: number;
  [name: string]: number;
}

/** The progress of a restore. The phases follow one another in the order of the list. */
export interface RestoreState {
  phase: "rows" | "executions" | "files" | "release";
  /** The index of the current table, shard or kind of files. */
  index: number;
  /** The number of parts of the current table or shard that are restored. */
  part: number;
  /** The hash over the restored parts of the current table or shard. */
  hash: string;
  /** The key of the file after which the next step begins. */
  after: string | null;
  rows: number;
  files: number;
  changed: Changed;
}

export const nothingChanged: Changed = {
  ...{ emails: 0, pausedCampaigns: 0, unscheduledCampaigns: 0, webhooks: 0, domains: 0, jobs: 0 },
};

export const firstRestoreState: RestoreState = {
  ...{ phase: "rows", index: 0, part: 0, hash: "", after: null },
  ...{ rows: 0, files: 0, changed: nothingChanged },
};

/** Returns the state in the form that a job stores. */
export function notesOfRestore({ changed, ...state }: RestoreState): JobNotes {
  return { ...state, changed };
}
