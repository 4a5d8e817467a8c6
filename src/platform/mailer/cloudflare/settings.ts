import { z } from "zod";
import { defineSettings } from "../provider";

/** Whether a value is the binding: an object of the runtime with the method `send`. */
function isBinding(value: unknown): value is SendEmail {
  return typeof value === "object" && value !== null && "send" in value;
}

/** The binding `[[send_email]]`, which `npm run deploy` adds when this provider is chosen. There are no credentials. */
export const cloudflareSettings = defineSettings({
  settings: { EMAIL: z.custom<SendEmail>(isBinding).optional() },
  needs: ["EMAIL"],
  read: ({ EMAIL: binding }): SendEmail | null => binding ?? null,
});
