import { DrizzleQueryError } from "drizzle-orm";

type Level = "info" | "warn" | "error";

export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void;

/** One JSON object a line. Fields name things by id: never an address, a body or a key. */
export const log: Log = (level, message, fields = {}) => {
  console[level === "info" ? "log" : level](JSON.stringify({ level, message, ...fields }));
};

/** What an error says, for the log. Drizzle's own text holds the parameters of the query, so only its cause is told. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof DrizzleQueryError) return `Query failed: ${reasonOf(error.cause)}`;
  return error.cause ? `${error.message} (${reasonOf(error.cause)})` : error.message;
}

/** Where an error was thrown, without what it says. */
export function traceOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
