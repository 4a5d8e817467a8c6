import { defineProvider } from "../provider";
import { outboxMailer } from "./send";

/** The embedded default provider. It stores mail for reading, and needs no account. */
export const outbox = defineProvider({
  name: "outbox",
  settings: {},
  needs: [],
  read: () => ({}),
  open: (_, db, blobs) => outboxMailer(db, blobs),
  // The receipts of this provider contain the reports already.
  reporter: () => null,
});
