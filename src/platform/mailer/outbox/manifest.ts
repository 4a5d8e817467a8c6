import { defineProvider } from "../provider";
import { outboxMailer } from "./send";

/** The embedded default provider. It stores mail so that it can be read, and needs no account. */
export const outbox = defineProvider({
  name: "outbox",
  settings: {},
  needs: [],
  read: () => ({}),
  open: (_, db, blobs) => outboxMailer(db, blobs),
  // The receipts of this provider already contain the reports.
  reporter: () => null,
});
