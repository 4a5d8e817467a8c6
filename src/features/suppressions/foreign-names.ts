import { type ForeignName, foreign } from "../../core/foreign-names";

/** The names that other services use for their lists, and for the fields of the lists' items. */
export const foreignNamesOfSuppressions: ForeignName[] = [
  ...foreign(["emails", "addresses", "recipients", "Suppressions"], {
    standsFor: "suppressions",
    advice: 'Send the list as suppressions: [{ "email", "reason", "createdAt" }]',
  }),
  ...foreign(["EmailAddress", "email_address", "SuppressionReason", "CreatedAt", "created_at", "created"], {
    itemsOf: "suppressions",
    advice:
      'Write { "email", "reason", "createdAt" } for each address: reason is bounce, complaint, unsubscribe or manual, createdAt a time such as 2026-01-31T09:00:00Z',
  }),
];
