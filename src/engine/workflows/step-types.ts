import type { Outcome } from "../../core/workflows/outcome";
import type { StepType } from "../../core/workflows/step";
import type { Context } from "../../platform/context";
import type { Arrival } from "./arrival";
import { takeBranches } from "./effects/condition";
import { sendStepEmails } from "./effects/send-email";
import { updateStepContacts } from "./effects/update-contact";
import { storeStepCalls } from "./effects/webhook";

/** The steps that do something. The others are decided by the machine. */
export type EffectType = Exclude<StepType, "TRIGGER" | "DELAY" | "WAIT_FOR_EVENT" | "EXIT">;

/**
 * Does a step for up to a hundred executions that stand at it, and says what came of it for each, in order: null where the
 * CPU was spent before, so that it is next. It may be repeated, and may have died half-way before: see `effectIdOf`.
 */
export type Effect<T extends EffectType> = (ctx: Context, arrivals: Arrival<T>[]) => Promise<(Outcome | null)[]>;

/** The effect of each type of step. */
export const stepTypes: { [T in EffectType]: Effect<T> } = {
  SEND_EMAIL: sendStepEmails,
  CONDITION: takeBranches,
  UPDATE_CONTACT: updateStepContacts,
  WEBHOOK: storeStepCalls,
};
