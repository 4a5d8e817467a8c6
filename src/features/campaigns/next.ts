/** How a run continues after a step: at once, at a given time, or not at all. */
export type NextStep =
  /** `batches`: the number of batches, for a step that made many. */
  { kind: "goes on"; batches?: number } | { kind: "waits"; until: number } | { kind: "over" };
