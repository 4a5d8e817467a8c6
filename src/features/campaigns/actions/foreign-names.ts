import { type ForeignName, foreign } from "../../../core/foreign-names";

const advice = "Use scheduledFor, a time such as 2026-01-31T09:00:00Z";

/** What the time of sending is called elsewhere. Left out, it means now, and a campaign that is out cannot be called back. */
export const foreignNamesOfSending: ForeignName[] = [
  "scheduledAt",
  "scheduled_at",
  "scheduled_for",
  "sendAt",
  "send_at",
].map((name) => ({ name, advice }));

/** What the address of a test is called elsewhere. */
export const foreignNamesOfTest = foreign(["to", "emails", "recipients", "test_emails"], {
  standsFor: "email",
  advice: "Use email, one address",
});
