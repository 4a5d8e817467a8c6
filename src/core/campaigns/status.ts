/** The states of a campaign. A campaign in SENDING may be held; see `heldReason`. */
export const campaignStatuses = ["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

interface Action {
  from: readonly CampaignStatus[];
  /** Null when the action leaves the status unchanged. */
  to: CampaignStatus | null;
  /** Used in the message of a refusal: "A campaign that is SENT cannot be …". */
  word: string;
}

/** The complete state machine: every action on a campaign, by people or by the service. */
export const campaignActions = {
  replace: { from: ["DRAFT", "SCHEDULED"], to: null, word: "changed" },
  delete: { from: ["DRAFT", "SENT", "CANCELLED"], to: null, word: "deleted" },
  send: { from: ["DRAFT", "SCHEDULED"], to: "SENDING", word: "sent" },
  schedule: { from: ["DRAFT", "SCHEDULED"], to: "SCHEDULED", word: "scheduled" },
  unschedule: { from: ["SCHEDULED"], to: "DRAFT", word: "unscheduled" },
  pause: { from: ["SENDING"], to: null, word: "paused" },
  resume: { from: ["SENDING"], to: null, word: "resumed" },
  cancel: { from: ["SCHEDULED", "SENDING"], to: "CANCELLED", word: "cancelled" },
  preflight: { from: ["DRAFT", "SCHEDULED", "SENDING"], to: null, word: "checked" },
  retry: { from: ["SENT"], to: "SENDING", word: "retried" },
  // Actions of the service.
  start: { from: ["SCHEDULED"], to: "SENDING", word: "started" },
  finish: { from: ["SENDING"], to: "SENT", word: "finished" },
} as const satisfies Record<string, Action>;
export type CampaignAction = keyof typeof campaignActions;

export function mayBe(action: CampaignAction, status: CampaignStatus): boolean {
  const { from }: Action = campaignActions[action];
  return from.includes(status);
}
