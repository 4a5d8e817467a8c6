/** Was this error a unique violation of the given columns? `columns` as SQLite names them: `domains.project_id, domains.domain`. */
export function isUniqueViolation(error: unknown, columns: string): boolean {
  return messageOf(error).includes(`UNIQUE constraint failed: ${columns}`);
}

export function isCheckViolation(error: unknown, constraint: string): boolean {
  return messageOf(error).includes(`CHECK constraint failed: ${constraint}`);
}

/** The name of the guard (see `guard` in commit.ts) that stopped a batch; null when it was something else. */
export function failedGuard(error: unknown): string | null {
  // SQLite's wording before 3.45 and since.
  return /(?:JSON path error near|bad JSON path:) '([a-z]+)'/.exec(messageOf(error))?.[1] ?? null;
}

/** Drizzle wraps what D1 threw, and D1 wraps what SQLite said: the text is in one of them. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return `${error.message} ${messageOf(error.cause)}`;
}
