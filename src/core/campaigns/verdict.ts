/** The outcomes of a campaign's email to one contact, whether it was sent or not. */
export const recipientOutcomes = ["SENT", "WAITING", "LEFT_OUT", "WITHHELD", "NOT_IN_AUDIENCE", "NO_CONTACT"] as const;
export type RecipientOutcome = (typeof recipientOutcomes)[number];

const codesOf = {
  SENT: ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unknown"],
  WAITING: ["waiting", "held", "canary", "sending_paused", "draft", "scheduled", "not_reached"],
  LEFT_OUT: ["suppressed", "snoozed", "unsubscribed", "topic", "changed"],
  WITHHELD: [
    ...["suppressed", "unsubscribed", "topic", "deleted", "cancelled", "failed"],
    ...["rendering", "sender_domain", "project_disabled", "monthly_limit"],
  ],
  NOT_IN_AUDIENCE: ["filter", "created_later"],
  NO_CONTACT: ["no_contact"],
} as const satisfies Record<RecipientOutcome, readonly string[]>;
export type ReasonCode = (typeof codesOf)[RecipientOutcome][number];

export const reasonCodes = [...new Set<ReasonCode>(Object.values(codesOf).flat())];

export interface Reason {
  code: ReasonCode;
  message: string;
}

/** Whether one contact gets a campaign, and why. */
export interface RecipientVerdict {
  inAudience: boolean;
  outcome: RecipientOutcome;
  reasons: Reason[];
  /** The basis of the verdict: the email's record, the frozen audience, or the draft's audience. */
  basis: "EMAIL" | "FROZEN" | "DRAFT";
  asOf: string;
}
