import { maxStatements } from "./limits";

/** Counts the queries that this request, job or tick has made so far. */
export class Spent {
  /** The statements of batches and of `select`. An invocation has a thousand: see `maxStatements`. */
  statements = 0;
  /** The batches that have changed something. */
  changes = 0;
  /** The statements of the largest batch. */
  private largest = 0;

  spend(statements: number): void {
    this.statements += statements;
    this.largest = Math.max(this.largest, statements);
  }

  /**
   * Whether this invocation may make further statements by itself. Work often ends with a batch as large as those before,
   * such as the answers to its last calls, so there is room for two.
   */
  hasLeft(): boolean {
    return this.statements + 2 * this.largest < maxStatements;
  }
}
