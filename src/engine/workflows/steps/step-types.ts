import type { StepOutcome } from "../../../core/workflows/outcome";
import type { StepType } from "../../../core/workflows/step";
import type { Context } from "../../../platform/context";
import type { Arrival } from "./arrival";
import { takeBranches } from "./condition";
import { sendStepEmails } from "./send-email";
import { updateStepContacts } from "./update-contact";
import { storeStepCalls } from "./webhook";

/** The steps with an effect. The machine decides the others. */
export type EffectType = Exclude<StepType, "TRIGGER" | "DELAY" | "WAIT_FOR_EVENT" | "EXIT">;

/**
 * Runs a step for up to a hundred executions that are at it, and returns the outcome of each, in order; null if the CPU
 * time was spent first, so that a later pass runs it. May be repeated, and an earlier attempt may have died half-way:
 * see `effectIdOf`.
 */
export type Effect<T extends EffectType> = (ctx: Context, arrivals: Arrival<T>[]) => Promise<(StepOutcome | null)[]>;

/** The effect of each type of step. */
export const stepTypes: { [T in EffectType]: Effect<T> } = {
  SEND_EMAIL: sendStepEmails,
  CONDITION: takeBranches,
  UPDATE_CONTACT: updateStepContacts,
  WEBHOOK: storeStepCalls,
};
