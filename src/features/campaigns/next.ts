/** The action of a run after a step: continue at once, continue at a time, or end. */
export type NextStep =
  /** `batches`: the number of batches, for a step that made many. */
  { kind: "goes on"; batches?: number } | { kind: "waits"; until: number } | { kind: "over" };
