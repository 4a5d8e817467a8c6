import { defineProvider } from "../provider";
import { postmarkReporter } from "./report";
import { postmarkMailer } from "./send";
import { postmarkSettings } from "./settings";

export const postmark = defineProvider({
  name: "postmark",
  ...postmarkSettings,
  open: postmarkMailer,
  reporter: ({ webhook }) => (webhook === null ? null : postmarkReporter(webhook)),
});
