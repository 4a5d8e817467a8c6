import { type ForeignName, foreign } from "../../../core/foreign-names";

const advice = "Use scheduledFor, a time such as 2026-01-31T09:00:00Z";

/**
 * The names that other APIs use for the time of sending. A foreign name is refused: ignoring it would send the
 * campaign now, which cannot be undone.
 */
const foreignNamesOfTime: ForeignName[] = ["scheduledAt", "scheduled_at", "scheduled_for", "sendAt", "send_at"].map(
  (name) => ({ name, advice }),
);

/**
 * The names that other APIs use for the token of a pre-flight check. They are refused too, because ignoring one would
 * send the campaign without its check.
 */
const foreignNamesOfToken = foreign(["preflight_token", "token"], {
  standsFor: "preflightToken",
  advice: "Use preflightToken",
});

/** Names that a call to send a campaign refuses. */
export const foreignNamesOfSending: ForeignName[] = [...foreignNamesOfTime, ...foreignNamesOfToken];

/** The names that other APIs use for the address of a test. */
export const foreignNamesOfTest = foreign(["to", "emails", "recipients", "test_emails"], {
  standsFor: "email",
  advice: "Use email, one address",
});
