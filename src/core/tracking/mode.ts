import type { EmailType } from "../mail/status";

/** Whose opens and clicks a project tracks. */
export type TrackingMode = "ENABLED" | "DISABLED" | "MARKETING_ONLY";

/**
 * Whether mail of a type is tracked in a project, where nobody said otherwise. `MARKETING_ONLY` is for projects that may not
 * watch what people do with mail that they asked for: TRANSACTIONAL and HEADLESS mail is not tracked then.
 */
export function isTypeTracked(mode: TrackingMode, type: EmailType): boolean {
  return mode === "ENABLED" || (mode === "MARKETING_ONLY" && type === "MARKETING");
}
