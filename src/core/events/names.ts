import { z } from "zod";

const longestName = 255;
const ownNames = new Set(["contact.subscribed", "contact.unsubscribed"]);

/** Names that only the service itself gives to events. */
export function isReservedEvent(name: string): boolean {
  return name.startsWith("email.") || ownNames.has(name) || /^segment\..+\.(entry|exit)$/.test(name);
}

/** The name of an event that a caller tracks. */
export const EventName = z
  .string()
  .min(1)
  .max(longestName)
  .superRefine((name, check) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed()) {
      check.addIssue({ code: "custom", message: "Must be plain text on one line", params: { code: "invalid_string" } });
    }
    if (isReservedEvent(name)) {
      const message = `${name} is a name that only the service itself gives to events`;
      check.addIssue({ code: "custom", message, params: { code: "reserved_event" } });
    }
  })
  .meta({ type: "string", minLength: 1, maxLength: longestName, example: "purchase" });
