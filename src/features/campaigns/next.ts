/** What a run does next: at once, after a while, or nothing because it is over. */
export type Next =
  /** `batches`: those of a step that made many. */
  { kind: "goes on"; batches?: number } | { kind: "waits"; until: number } | { kind: "over" };
