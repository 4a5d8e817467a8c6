import { z } from "zod";
import { isStorable } from "../storable";
import { serviceEvent, serviceEventsThat } from "./service-event";

const maxNameLength = 255;

/** Whether a name is reserved for the service. Case matters, as in all event names. */
export function isReservedEvent(name: string): boolean {
  return name.startsWith("email.") || serviceEvent(name) !== undefined || /^segment\..+\.(entry|exit)$/.test(name);
}

export function reservedEvent(name: string): string {
  return `${name} is reserved: only the service itself records events with this name`;
}

const otherNames = serviceEventsThat((_, name) => !name.startsWith("email."));
const reservedNames = ["email.*", ...otherNames].map((name) => `\`${name}\``).join(", ");

/**
 * Path segments with a meaning in URLs, even when encoded: an event with such a name could not be queried or deleted.
 */
const unreachableNames = new Set([".", ".."]);

/** The name of a tracked event, kept exactly as sent. */
export const EventName = z
  .string()
  .min(1)
  .max(maxNameLength)
  .superRefine((name, check) => {
    if (/[\p{Cc}\u2028\u2029]/u.test(name) || !isStorable(name) || (name !== "" && name.trim() === "")) {
      check.addIssue({ code: "custom", message: "Must be plain text on one line", params: { code: "invalid_string" } });
    }
    if (unreachableNames.has(name)) {
      check.addIssue({ code: "custom", message: `Must not be "${name}"`, params: { code: "invalid_string" } });
    }
    if (isReservedEvent(name)) {
      check.addIssue({ code: "custom", message: reservedEvent(name), params: { code: "reserved_event" } });
    }
  })
  .meta({
    type: "string",
    minLength: 1,
    maxLength: maxNameLength,
    description:
      "Any text on one line except `.` and `..`, kept exactly as sent. The service reserves " +
      `${reservedNames}, \`segment.<slug>.entry\` and \`segment.<slug>.exit\`.`,
    example: "purchase",
  });

const emailNames = serviceEventsThat((_, name) => name.startsWith("email."));

/**
 * Returns the reason why no event of a project can have this name; null when one can. `orElse` is appended to the list
 * of allowed names.
 */
export function exactNameFault(name: string, orElse = ""): string | null {
  if (name.startsWith("email.") && serviceEvent(name) === undefined) {
    return `There is no event ${name}: use ${emailNames.join(", ")}${orElse}`;
  }
  if (isReservedEvent(name)) return null;
  const read = EventName.safeParse(name);
  return read.success ? null : (read.error.issues[0]?.message ?? "Must be the name of an event");
}
