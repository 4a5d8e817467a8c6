/** The states of a campaign. A SENDING one may be held; see `heldReason`. */
export const campaignStatuses = ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

interface Action {
  from: readonly CampaignStatus[];
  /** Null: the status stays. */
  to: CampaignStatus | null;
  /** For the sentence of a refusal: "A campaign that is SENT cannot be …". */
  word: string;
}

/** Everything that can be done with a campaign, by people and by the service itself: the whole state machine. */
export const campaignActions = {
  replace: { from: ["DRAFT", "SCHEDULED"], to: null, word: "changed" },
  delete: { from: ["DRAFT", "SENT", "CANCELLED"], to: null, word: "deleted" },
  send: { from: ["DRAFT", "SCHEDULED"], to: "SENDING", word: "sent" },
  schedule: { from: ["DRAFT", "SCHEDULED"], to: "SCHEDULED", word: "scheduled" },
  pause: { from: ["SENDING"], to: null, word: "paused" },
  resume: { from: ["SENDING"], to: null, word: "resumed" },
  cancel: { from: ["SCHEDULED", "SENDING"], to: "CANCELLED", word: "cancelled" },
  preflight: { from: ["DRAFT", "SCHEDULED", "SENDING"], to: null, word: "checked" },
  retry: { from: ["SENT"], to: "SENDING", word: "retried" },
  // The service's own.
  start: { from: ["SCHEDULED"], to: "SENDING", word: "started" },
  finish: { from: ["SENDING"], to: "SENT", word: "finished" },
} as const satisfies Record<string, Action>;
export type CampaignAction = keyof typeof campaignActions;

export function mayBe(action: CampaignAction, status: CampaignStatus): boolean {
  const { from }: Action = campaignActions[action];
  return from.includes(status);
}
