import { z } from "zod";
import { isStorable } from "../storable";

const longestName = 255;
const ownNames = new Set(["contact.subscribed", "contact.unsubscribed"]);

/** Names that only the service itself gives to events. Upper and lower case are different names, here as anywhere. */
export function isReservedEvent(name: string): boolean {
  return name.startsWith("email.") || ownNames.has(name) || /^segment\..+\.(entry|exit)$/.test(name);
}

export function reservedEvent(name: string): string {
  return `${name} is reserved: only the service itself records events with this name`;
}

/** As parts of a URL these are directions, also when they are encoded: nobody could delete such an event, or ask of it. */
const unreachableNames = new Set([".", ".."]);

/** The name of an event that a caller tracks. It is kept exactly as it was sent. */
export const EventName = z
  .string()
  .min(1)
  .max(longestName)
  .superRefine((name, check) => {
    if (/[\p{Cc}\u2028\u2029]/u.test(name) || !isStorable(name) || (name !== "" && name.trim() === "")) {
      check.addIssue({ code: "custom", message: "Must be plain text on one line", params: { code: "invalid_string" } });
    }
    if (unreachableNames.has(name)) {
      check.addIssue({ code: "custom", message: `Must not be ${name}`, params: { code: "invalid_string" } });
    }
    if (isReservedEvent(name)) {
      check.addIssue({ code: "custom", message: reservedEvent(name), params: { code: "reserved_event" } });
    }
  })
  .meta({
    type: "string",
    minLength: 1,
    maxLength: longestName,
    description:
      "Any text on one line except `.` and `..`, kept exactly as sent. The service reserves `email.*`, " +
      "`contact.subscribed`, `contact.unsubscribed`, `segment.<slug>.entry` and `segment.<slug>.exit`.",
    example: "purchase",
  });
