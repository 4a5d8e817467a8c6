import type { Contact } from "petrel-client";
import { Badge } from "../../parts/badge";
import { useWords } from "../../words/words";

export function Subscription({ contact: { subscribed, snoozedUntil } }: { contact: Contact }) {
  const { words } = useWords();
  if (snoozedUntil !== null) return <Badge tone="warn">{words.people.snoozed}</Badge>;
  return subscribed ? (
    <Badge tone="good">{words.people.subscribed}</Badge>
  ) : (
    <Badge tone="quiet">{words.people.notSubscribed}</Badge>
  );
}
