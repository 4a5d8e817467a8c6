import type { EmailType } from "../mail/status";

/** The kinds of mail whose opens and clicks a project tracks. */
export type TrackingMode = "ENABLED" | "DISABLED" | "MARKETING_ONLY";

/**
 * Whether mail of a type is tracked in a project by default. `MARKETING_ONLY` is for projects that must not track mail
 * that people asked for: it leaves out TRANSACTIONAL and HEADLESS mail.
 */
export function isTypeTracked(mode: TrackingMode, type: EmailType): boolean {
  return mode === "ENABLED" || (mode === "MARKETING_ONLY" && type === "MARKETING");
}
