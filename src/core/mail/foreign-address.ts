import { foreign } from "../foreign-names";

/** What other APIs call the one address that a call is about. */
export const foreignNamesOfAddress = foreign(["address", "email_address", "emailAddress", "recipient", "emails"], {
  standsFor: "email",
  advice: "Use email, one address",
});
