import { Conflict, type FieldFault, Invalid } from "../errors";
import { type JsonObject, utf8Bytes } from "../json";

const maxSteps = 100;
const maxTransitions = 200;
const maxBytes = 512 * 1024;

/** The parts of a workflow that are counted. */
interface Counts {
  steps: { length: number };
  transitions: { length: number };
}

/** Throws Conflict if a workflow has too many steps or transitions. */
export function checkCounts({ steps, transitions }: Counts): void {
  if (steps.length > maxSteps) throw tooMany("steps", maxSteps);
  if (transitions.length > maxTransitions) throw tooMany("transitions", maxTransitions);
}

/**
 * Throws Conflict if there are too many steps or transitions, and Invalid if all configs together are too large.
 * Invalid then names `field` as the faulty field of the call.
 */
export function checkSize(
  { steps, transitions }: { steps: readonly { config: JsonObject }[] } & Counts,
  field = "config",
): void {
  checkCounts({ steps, transitions });
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
