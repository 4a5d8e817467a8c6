import type { ContactRow } from "../../db/tables";

/**
 * The state of a recipient's subscription. "unsaid": the person has never been subscribed and has never unsubscribed.
 */
export type SubscriptionState = { is: "subscribed" | "unsubscribed" | "unsaid" } | { is: "snoozed"; until: number };

/** The outcome of the button that the recipient pressed. */
export type ChoiceOutcome = "saved" | "unclear" | "refused";

export function subscriptionStateOf({ subscribed, snoozedUntil, optedOutAt }: ContactRow): SubscriptionState {
  if (subscribed) return { is: "subscribed" };
  if (snoozedUntil !== null) return { is: "snoozed", until: snoozedUntil };
  return { is: optedOutAt === null ? "unsaid" : "unsubscribed" };
}
