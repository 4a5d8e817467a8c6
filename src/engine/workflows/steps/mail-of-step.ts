import { type Id, readId } from "../../../core/ids";
import { domainOf, normalizeEmail } from "../../../core/mail/address";
import type { EmailType } from "../../../core/mail/status";
import { minuteMs } from "../../../core/time";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { StepOf } from "../../../core/workflows/step";
import type { SendEmailConfig } from "../../../core/workflows/steps/send-email";
import type { Context } from "../../../platform/context";
import { contactDeleted } from "./arrival";

/** Returns the template that the step mails; null if it has none. */
export function templateOf({ config, templateId }: StepOf<"SEND_EMAIL">): Id | null {
  return templateId ?? (config.templateId === undefined ? null : readId(config.templateId));
}

export const noTemplate: StepOutcome = { kind: "failed", reason: "The step has no template" };

/** Returns the step's custom address, both normalized and as written; both null if the step mails the contact. */
export function recipientOf({ recipient }: SendEmailConfig): { to: string | null; written: string | null } {
  if (recipient?.type !== "CUSTOM") return { to: null, written: null };
  const { customEmail } = recipient;
  return { to: normalizeEmail(customEmail) ?? customEmail, written: customEmail };
}

/** The facts about the contact and the template of an email, at the time when the step runs. */
export interface MailFacts {
  isThere: boolean;
  isSubscribed: boolean | null;
  isInTopic: boolean | null;
  /** Null if the template does not exist. */
  type: EmailType | null;
  fromEmail: string | null;
  isVerified: boolean;
}

/** Returns the outcome of a step whose email is not accepted; null if it is accepted. */
export function whyRefused(ctx: Context, facts: MailFacts, isPaused: boolean): StepOutcome | null {
  const { type, fromEmail } = facts;
  if (!facts.isThere) return skipped(contactDeleted);
  if (type === null || fromEmail === null) return { kind: "failed", reason: "The template no longer exists" };
  if (type !== "TRANSACTIONAL") {
    if (!facts.isSubscribed) return skipped("The contact is not subscribed");
    if (!facts.isInTopic) return skipped("The contact does not get mail of this topic");
  }
  if (!facts.isVerified)
    return { kind: "failed", reason: `The sender domain ${domainOf(fromEmail)} is not verified in this project` };
  return isPaused && type === "MARKETING" ? later(ctx, "The marketing email of this project is paused") : null;
}

function skipped(reason: string): StepOutcome {
  return { kind: "done", skipped: reason };
}

/** How long an execution waits before it checks again whether its project may send, in milliseconds. */
const pauseMs = 30 * minuteMs;

export function later(ctx: Context, reason: string): StepOutcome {
  return { kind: "later", at: ctx.now.getTime() + pauseMs, reason };
}
