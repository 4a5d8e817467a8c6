import type { Db } from "../../db/client";
import type { Blobs } from "../blobs";
import type { Config } from "../env";
import type { Mailer } from "./mailer";
import { outboxMailer } from "./outbox/send";
import { postmarkMailer } from "./postmark/send";
import { resendMailer } from "./resend/send";
import { sesMailer } from "./ses/send";

/** Opens the provider named in `MAIL_PROVIDER`. No other place knows all providers. */
export function openMailer({ mailProvider, mail }: Config, db: Db, blobs: Blobs): Mailer {
  switch (mailProvider) {
    case "outbox":
      return outboxMailer(db, blobs);
    case "ses":
      return sesMailer(configured(mail.ses));
    case "resend":
      return resendMailer(configured(mail.resend));
    case "postmark":
      return postmarkMailer(configured(mail.postmark));
  }
}

function configured<T>(settings: T | null): T {
  // The settings were checked when they were read, so the chosen provider has its credentials.
  if (settings === null) throw new Error("The chosen mail provider has no credentials");
  return settings;
}
