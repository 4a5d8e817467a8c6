import { foreign } from "../../../core/foreign-names";

/** What callers send in place of the contacts' ids. */
export const foreignNamesOfBulk = foreign(["emails", "contacts"], {
  standsFor: "contactIds",
  advice: "Use contactIds: POST /contacts/lookup?expand=contacts finds the ids of addresses",
});
