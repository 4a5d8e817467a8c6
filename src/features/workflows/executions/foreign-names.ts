import { foreign } from "../../../core/foreign-names";

/** Names that callers send instead of a contact's id. */
export const foreignNamesOfExecution = foreign(["email", "contact", "userId", "user_id"], {
  standsFor: "contactId",
  advice: "Use contactId: GET /contacts?email= finds the id of an address",
});
