import { DrizzleQueryError } from "drizzle-orm";

type Level = "info" | "warn" | "error";

export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void;

/** Writes one JSON object per line. Fields must identify things by id, never by an address, a body or a key. */
export const log: Log = (level, message, fields = {}) => {
  console[level === "info" ? "log" : level](JSON.stringify({ level, message, ...fields }));
};

/**
 * Returns the reason of an error for the log. An error of drizzle has the query's parameters in its message, so only
 * its cause is used.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof DrizzleQueryError) return `Query failed: ${reasonOf(error.cause)}`;
  return error.cause ? `${error.message} (${reasonOf(error.cause)})` : error.message;
}

/** Returns the stack of an error without its message. */
export function traceOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
