declare module "*/simulation/parts/limits.mjs" {
  import type { DatabaseSync } from "node:sqlite";

  export class Limits {
    passed: Set<string>;
    checkStatement(statement: { sql: string; parameters: unknown[] }, invocation?: { statements: number }): void;
    checkMessages(messages: { body: unknown; delaySeconds?: number }[]): void;
  }
  export function limitSqlite(sqlite: DatabaseSync): void;
}

declare module "*/simulation/parts/scans.mjs" {
  import type { DatabaseSync } from "node:sqlite";

  export function scansOf(sqlite: DatabaseSync, sql: string): string[];
}
