import { defineProvider } from "../provider";
import { sesReporter } from "./report";
import { sesMailer } from "./send";
import { sesSettings } from "./settings";

export const ses = defineProvider({
  name: "ses",
  ...sesSettings,
  open: sesMailer,
  reporter: ({ topicArn }) => (topicArn === null ? null : sesReporter(topicArn)),
});
