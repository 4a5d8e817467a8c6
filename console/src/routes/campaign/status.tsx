import type { Campaign } from "petrel-client";
import { Badge, type Tone } from "../../parts/badge";
import { useWords } from "../../words/words";

const tones: Record<Campaign["status"], Tone> = {
  DRAFT: "quiet",
  SCHEDULED: "warn",
  SENDING: "good",
  SENT: "good",
  CANCELLED: "quiet",
};

export function CampaignStatus({ status, heldReason }: Pick<Campaign, "status" | "heldReason">) {
  const { words } = useWords();
  if (heldReason !== null) return <Badge tone="alarm">{words.campaigns.held}</Badge>;
  return <Badge tone={tones[status]}>{words.campaigns.status[status]}</Badge>;
}
