import { Conflict } from "../../core/errors";
import { getContact } from "../../engine/contacts/contact";
import { snoozeContact } from "../../engine/contacts/snooze";
import { unsnoozeContact } from "../../engine/contacts/unsnooze";
import type { Recipient } from "./recipient";
import type { Choice, Pause } from "./schema";
import { setSubscription } from "./set-subscription";
import type { ChoiceOutcome } from "./subscription-state";
import { setTopic } from "./topics";

/** The recipient's state after their choice, and the outcome of the choice. */
export interface Chosen {
  recipient: Recipient;
  outcome: ChoiceOutcome;
}

/**
 * `POST /manage/{token}`: applies the choice. The person may have unsubscribed since the page was shown, so "resume"
 * subscribes only a person whose mail is paused.
 */
export async function choose(recipient: Recipient, choice: Choice): Promise<Chosen> {
  switch (choice.action) {
    case "subscribe":
    case "unsubscribe":
      return { recipient: await setSubscription(recipient, choice.action === "subscribe"), outcome: "saved" };
    case "snooze":
      return snooze(recipient, choice.duration);
    case "unsnooze": {
      const contact = await unsnoozeContact(recipient.ctx, recipient.contact.id);
      return { recipient: { ...recipient, contact }, outcome: contact.subscribed ? "saved" : "refused" };
    }
    case "join":
    case "leave": {
      const isSet = await setTopic(recipient, choice.topic, choice.action === "join");
      return { recipient, outcome: isSet ? "saved" : "unclear" };
    }
  }
}

/** Pauses mail. A person who is unsubscribed or suppressed has nothing to pause. */
async function snooze(recipient: Recipient, duration: Pause): Promise<Chosen> {
  const { ctx, contact } = recipient;
  try {
    const snoozed = await snoozeContact(ctx, contact.id, { duration }, { isSaidBySelf: true });
    return { recipient: { ...recipient, contact: snoozed }, outcome: "saved" };
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return { recipient: { ...recipient, contact: await getContact(ctx, contact.id) }, outcome: "refused" };
  }
}
