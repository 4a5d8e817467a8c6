/**
 * Reports whether the error says that a value in the given columns is not unique. The columns are written as SQLite
 * writes them: `domains.project_id, domains.domain`.
 */
export function isUniqueViolation(error: unknown, columns: string): boolean {
  return messageOf(error).includes(`UNIQUE constraint failed: ${columns}`);
}

export function isCheckViolation(error: unknown, constraint: string): boolean {
  return messageOf(error).includes(`CHECK constraint failed: ${constraint}`);
}

/** Reports whether SQLite refused a row: a constraint failed, or a value has the wrong type. */
export function isRefusedRow(error: unknown): boolean {
  return /constraint failed|datatype mismatch|malformed JSON/.test(messageOf(error));
}

/** Returns the name of the guard (see `guard` in statement.ts) that stopped a batch; null when something else did. */
export function failedGuard(error: unknown): string | null {
  // Matches SQLite's wording both before and since version 3.45.
  return /(?:JSON path error near|bad JSON path:) '([a-z]+)'/.exec(messageOf(error))?.[1] ?? null;
}

/**
 * Returns the messages of an error and its causes as one text. Drizzle wraps the error of D1, which wraps that of
 * SQLite, so SQLite's message can be at any of these levels.
 */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return `${error.message} ${messageOf(error.cause)}`;
}
