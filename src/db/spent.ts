/** What this request, job or tick has asked of its databases so far. */
export interface Spent {
  /** Its statements: those of batches, and of `select`. An invocation has a thousand: see `maxStatements`. */
  statements: number;
  /** The batches that have changed something. */
  changes: number;
}
