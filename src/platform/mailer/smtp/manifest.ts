import { defineProvider } from "../provider";
import { smtpMailer } from "./send";
import { smtpSettings } from "./settings";
import { connectTo } from "./socket";

export const smtp = defineProvider({
  name: "smtp",
  ...smtpSettings,
  open: (settings) => smtpMailer(settings, connectTo),
  // A relay reports by mail to the envelope sender, so there are no calls to read.
  reporter: () => null,
});
