import { defineProvider } from "../provider";
import { smtpMailer } from "./send";
import { smtpSettings } from "./settings";
import { connectTo } from "./socket";

export const smtp = defineProvider({
  name: "smtp",
  ...smtpSettings,
  open: (settings) => smtpMailer(settings, connectTo),
  // A relay sends its reports as mail to the envelope sender, and never calls a URL of ours.
  reporter: () => null,
});
