import { foreign } from "../foreign-names";

/** Names in other APIs for the one address that a call is about. */
export const foreignNamesOfAddress = foreign(["address", "email_address", "emailAddress", "recipient", "emails"], {
  standsFor: "email",
  advice: "Use email, one address",
});
