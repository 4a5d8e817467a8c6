import { z } from "zod";
import { exactNameFault } from "../events/names";
import { serviceEvent } from "../events/service-event";

/** Names such as `*` or `email.*`. A listener with such a name would receive a whole family of events. */
const family = /^([^.]*\.)?\*$/;

/** Returns why events of this name cannot start a workflow or end a wait; null if they can. */
function awaitedNameFault(name: string): string | null {
  if (family.test(name)) return `${name} names several events: use the exact name of one, such as email.opened`;
  if (serviceEvent(name)?.hasNoContact) return `${name} belongs to no contact, so no workflow can use it`;
  return exactNameFault(name);
}

/**
 * The exact name of an event, either the caller's own or the service's. It is stored as sent, with its blanks and its
 * case.
 */
export const AwaitedName = z
  .string()
  .min(1)
  .superRefine((name, check) => {
    const fault = name === "" ? null : awaitedNameFault(name);
    if (fault !== null) check.addIssue({ code: "custom", message: fault, params: { code: "invalid_string" } });
  })
  .meta({
    type: "string",
    minLength: 1,
    maxLength: 255,
    description: "The exact name of an event, such as `purchase`, `email.opened` or `segment.vip.entry`.",
    example: "purchase",
  });
