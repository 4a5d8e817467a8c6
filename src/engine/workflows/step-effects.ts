import type { EffectType, StepType } from "../../core/workflows/step";
import { condition } from "./steps/condition";
import type { StepEffect } from "./steps/effect";
import { sendEmail } from "./steps/send-email";
import { updateContact } from "./steps/update-contact";
import { webhook } from "./steps/webhook";

/** The effect of each type of step that has one. `core/workflows/step-definitions.ts` lists all types. */
export const stepEffects: { [T in EffectType]: StepEffect<T> } = {
  SEND_EMAIL: sendEmail,
  CONDITION: condition,
  WEBHOOK: webhook,
  UPDATE_CONTACT: updateContact,
};

/** Returns the effect of a type of step; undefined if it has none. */
export function effectOf(type: StepType): StepEffect<StepType> | undefined {
  const effects: Partial<Record<StepType, StepEffect<StepType>>> = stepEffects;
  return effects[type];
}
