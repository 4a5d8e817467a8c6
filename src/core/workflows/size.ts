import { Conflict, type FieldFault, Invalid } from "../errors";
import { type JsonObject, utf8Bytes } from "../json";

const maxSteps = 100;
const maxTransitions = 200;
const maxBytes = 512 * 1024;

/** What a workflow has of each. */
interface Counts {
  steps: { length: number };
  transitions: { length: number };
}

/** Throws Conflict for a workflow of too many steps or transitions. */
export function insistOnCounts({ steps, transitions }: Counts): void {
  if (steps.length > maxSteps) throw tooMany("steps", maxSteps);
  if (transitions.length > maxTransitions) throw tooMany("transitions", maxTransitions);
}

/** Throws Conflict, and Invalid for configs that are too large together: with the field of the call that has them. */
export function insistOnSize(
  { steps, transitions }: { steps: readonly { config: JsonObject }[] } & Counts,
  field = "config",
): void {
  insistOnCounts({ steps, transitions });
  const bytes = steps.reduce((total, { config }) => total + utf8Bytes(JSON.stringify(config)), 0);
  if (bytes <= maxBytes) return;
  const message = `The configs of all steps of a workflow may have at most ${maxBytes} bytes of JSON together`;
  const fault: FieldFault = { field, code: "too_big", message };
  throw new Invalid([fault]);
}

export function tooMany(what: "steps" | "transitions", limit: number = maxSteps): Conflict {
  return new Conflict(`A workflow may have at most ${limit} ${what}. Nothing was saved.`, {
    suggestion: "Delete some that are not needed, or let an event start a second workflow.",
    details: { limit },
  });
}
