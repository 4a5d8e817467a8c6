type Level = "info" | "warn" | "error";

export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void;

/** One JSON object a line. Fields name things by id: never an address, a body or a key. */
export const log: Log = (level, message, fields = {}) => {
  console[level === "info" ? "log" : level](JSON.stringify({ level, message, ...fields }));
};

/** What an error says, for the log. Its cause is told too, as libraries keep the reason there. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message} (${reasonOf(error.cause)})` : error.message;
}
