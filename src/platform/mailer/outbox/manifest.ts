import { defineProvider } from "../provider";
import { outboxMailer } from "./send";

/** The embedded default: it keeps mail to be read, and needs no account. */
export const outbox = defineProvider({
  name: "outbox",
  settings: {},
  needs: [],
  read: () => ({}),
  open: (_, db, blobs) => outboxMailer(db, blobs),
  // Its reports come with the receipts.
  reporter: () => null,
});
