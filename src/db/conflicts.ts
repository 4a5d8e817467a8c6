/**
 * Reports whether the error is a unique violation of the given columns, written as SQLite does: `domains.project_id,
 * domains.domain`.
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
  // Matches SQLite's wording before 3.45 and since.
  return /(?:JSON path error near|bad JSON path:) '([a-z]+)'/.exec(messageOf(error))?.[1] ?? null;
}

/**
 * Returns the messages of an error and its causes. Drizzle wraps the error of D1, which wraps that of SQLite, so the
 * text is in one of them.
 */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return `${error.message} ${messageOf(error.cause)}`;
}
