import { z } from "zod";
import { EventName, isReservedEvent } from "../events/names";

const emailEvents = ["sent", "delivered", "opened", "clicked", "bounced", "complained", "failed", "received"];
const maxNames = 50;

/** Returns why a webhook cannot listen for this name; null when it can. */
export function listenedNameFault(name: string): string | null {
  if (name === "*" || /^[^.*]+\.\*$/.test(name)) return null;
  if (name.includes("*")) {
    return `${name} matches nothing: use an exact name, a family such as email.* (the part before the first dot), or *`;
  }
  return exactNameFault(name, ", or email.*");
}

/**
 * Returns why no event of a project can have exactly this name; null when one can. `orElse` ends the list of allowed
 * names.
 */
export function exactNameFault(name: string, orElse = ""): string | null {
  if (name.startsWith("email.") && !emailEvents.includes(name.slice("email.".length))) {
    return `There is no event ${name}: use ${emailEvents.map((event) => `email.${event}`).join(", ")}${orElse}`;
  }
  if (isReservedEvent(name)) return null;
  const read = EventName.safeParse(name);
  return read.success ? null : (read.error.issues[0]?.message ?? "Must be the name of an event");
}

/** The names that a webhook listens for. Duplicates count once. */
export const ListenedNames = z
  .array(z.string())
  .min(1)
  .max(maxNames)
  .superRefine((names, check) => {
    for (const [index, name] of names.entries()) {
      const fault = listenedNameFault(name);
      if (fault !== null) {
        check.addIssue({ code: "custom", message: fault, path: [index], params: { code: "invalid_string" } });
      }
    }
  })
  .transform((names) => [...new Set(names)])
  .meta({
    type: "array",
    items: { type: "string" },
    minItems: 1,
    maxItems: maxNames,
    description: "Exact names, families such as `email.*` (the part before the first dot), or `*` for every event.",
  });
