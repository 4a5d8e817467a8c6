import { defineProvider } from "../provider";
import { resendReporter } from "./report";
import { resendMailer } from "./send";
import { resendSettings } from "./settings";

export const resend = defineProvider({
  name: "resend",
  ...resendSettings,
  open: resendMailer,
  reporter: ({ webhookSecret }) => (webhookSecret === null ? null : resendReporter(webhookSecret)),
});
