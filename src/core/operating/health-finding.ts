/** The state of one thing: `warn` means look at it today, `fail` means act now. */
export type Health = "ok" | "warn" | "fail";

/** The result of one check of the installation, written for the operator. It contains no address and no secret. */
export interface HealthFinding {
  status: Health;
  /** The state in one sentence. */
  summary: string;
  /** Details: names, counts and times. Null when the summary is complete. */
  detail: string | null;
  /** Tells the operator how to fix the problem; null when there is nothing to do. */
  mend: string | null;
}

export function ok(summary: string, detail: string | null = null): HealthFinding {
  return { status: "ok", summary, detail, mend: null };
}

export function warn(
  summary: string,
  { detail = null, mend }: { detail?: string | null; mend: string },
): HealthFinding {
  return { status: "warn", summary, detail, mend };
}

export function fail(
  summary: string,
  { detail = null, mend }: { detail?: string | null; mend: string },
): HealthFinding {
  return { status: "fail", summary, detail, mend };
}

const severity: Record<Health, number> = { ok: 0, warn: 1, fail: 2 };

/** Returns the worst of several states; `ok` for an empty list. */
export function worstOf(states: readonly Health[]): Health {
  return states.reduce<Health>((worst, state) => (severity[state] > severity[worst] ? state : worst), "ok");
}
