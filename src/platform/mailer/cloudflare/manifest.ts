import { defineProvider } from "../provider";
import { readCloudflareEvent } from "./notices";
import { cloudflareMailer } from "./send";
import { cloudflareSettings } from "./settings";

export const cloudflare = defineProvider({
  name: "cloudflare",
  ...cloudflareSettings,
  open: cloudflareMailer,
  reporter: () => null,
  readQueued: readCloudflareEvent,
});
