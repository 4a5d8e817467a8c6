import type { Email } from "petrel-client";
import { Badge, type Tone } from "../../parts/badge";
import { useWords } from "../../words/words";

const tones: Record<Email["status"], Tone> = {
  QUEUED: "quiet",
  SENDING: "quiet",
  SENT: "good",
  DELIVERED: "good",
  OPENED: "good",
  CLICKED: "good",
  BOUNCED: "alarm",
  COMPLAINED: "alarm",
  FAILED: "alarm",
  SUPPRESSED: "warn",
  CANCELLED: "quiet",
  UNKNOWN: "warn",
};

export function EmailStatus({ status }: { status: Email["status"] }) {
  const { words } = useWords();
  return <Badge tone={tones[status]}>{words.status[status]}</Badge>;
}
