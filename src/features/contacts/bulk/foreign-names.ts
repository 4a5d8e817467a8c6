import { foreign } from "../../../core/foreign-names";

/** The names that other APIs use for the field `contactIds`. */
export const foreignNamesOfBulk = foreign(["emails", "contacts"], {
  standsFor: "contactIds",
  advice: "Use contactIds: POST /contacts/lookup?expand=contacts finds the ids for addresses",
});
