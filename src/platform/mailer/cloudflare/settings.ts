import { z } from "zod";
import { defineSettings } from "../provider";

/** A binding is an object of the runtime, with this method. */
function isBinding(value: unknown): value is SendEmail {
  return typeof value === "object" && value !== null && "send" in value;
}

/** The binding `[[send_email]]`, which `npm run deploy` adds when this provider is chosen. There are no credentials. */
export const cloudflareSettings = defineSettings({
  settings: { EMAIL: z.custom<SendEmail>(isBinding).optional() },
  needs: ["EMAIL"],
  read: ({ EMAIL: binding }): SendEmail | null => binding ?? null,
});
