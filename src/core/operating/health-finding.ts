/** How well something is: `warn` needs a look today, `fail` needs one now. */
export type Health = "ok" | "warn" | "fail";

/** The result of one check of the installation, in words for its operator. It names no address and no secret. */
export interface HealthFinding {
  status: Health;
  /** The state in one sentence. */
  summary: string;
  /** The particulars: names, counts, times. Null when the summary says it all. */
  detail: string | null;
  /** The next step for the operator; null when there is nothing to do. */
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

/** Returns the worst of several states; `ok` for none. */
export function worstOf(states: readonly Health[]): Health {
  return states.reduce<Health>((worst, state) => (severity[state] > severity[worst] ? state : worst), "ok");
}
