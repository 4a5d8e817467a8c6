import { condition } from "./steps/condition";
import type { StepDefinition } from "./steps/definition";
import { delay } from "./steps/delay";
import { exit } from "./steps/exit";
import { sendEmail } from "./steps/send-email";
import { trigger } from "./steps/trigger";
import { updateContact } from "./steps/update-contact";
import { waitForEvent } from "./steps/wait-for-event";
import { webhook } from "./steps/webhook";

/**
 * Every type of step, in the order in which lists show them. The schemas, the machine, the issues, the diagram and the
 * guide are derived from this list. `engine/workflows/step-effects.ts` lists the effects.
 */
export const stepDefinitions = {
  TRIGGER: trigger,
  SEND_EMAIL: sendEmail,
  DELAY: delay,
  WAIT_FOR_EVENT: waitForEvent,
  CONDITION: condition,
  WEBHOOK: webhook,
  UPDATE_CONTACT: updateContact,
  EXIT: exit,
} as const satisfies Record<string, StepDefinition<unknown>>;
