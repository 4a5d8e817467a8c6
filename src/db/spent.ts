import { maxStatements } from "./limits";

/** Counts the queries that this request, job or tick has made so far. */
export class Spent {
  /** The number of statements in batches and in `select`. D1 allows a thousand per invocation: see `maxStatements`. */
  statements = 0;
  /** The number of batches that changed something. */
  changes = 0;
  /** The number of statements in the largest batch. */
  private largest = 0;

  spend(statements: number): void {
    this.statements += statements;
    this.largest = Math.max(this.largest, statements);
  }

  /**
   * Whether this invocation may start further work. Work often ends with a batch as large as its earlier ones, for
   * example to record its last calls. Two batches of the largest size so far are therefore reserved.
   */
  hasLeft(): boolean {
    return this.statements + 2 * this.largest < maxStatements;
  }
}
