import type { Id } from "../ids";
import type { Graph, Step, Transition } from "./step";
import { branchNames } from "./structure";

/** Whether an execution at a step reaches a SEND_EMAIL: on every path, on some, or on none. */
export type MailAhead = "always" | "perhaps" | "never";

/**
 * Returns whether an execution at a step will reach a SEND_EMAIL. The step itself counts, because it has not had its
 * effect yet.
 */
export function mailAhead({ steps, transitions }: Graph, from: Id): MailAhead {
  const known = new Map<Id, MailAhead>();
  function look(id: Id): MailAhead {
    const seen = known.get(id);
    if (seen !== undefined) return seen;
    const step = steps.find((one) => one.id === id);
    const outgoing = transitions.filter(({ fromStepId }) => fromStepId === id);
    const found = step === undefined ? "never" : lookFrom(step, outgoing, look);
    known.set(id, found);
    return found;
  }
  return look(from);
}

function lookFrom(step: Step, outgoing: Transition[], look: (id: Id) => MailAhead): MailAhead {
  if (step.type === "SEND_EMAIL") return "always";
  const ahead = outgoing.map(({ toStepId }) => look(toStepId));
  if (ahead.every((one) => one === "never")) return "never";
  // A branch without a transition ends the execution.
  const drawn = outgoing.map(({ branch }) => branch);
  const mayEnd = !drawn.includes(null) && branchNames(step).names.some((name) => !drawn.includes(name));
  return !mayEnd && ahead.every((one) => one === "always") ? "always" : "perhaps";
}
