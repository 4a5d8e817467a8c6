import type { Contact } from "petrel-client";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { SubscriptionActions } from "./subscription-actions";

/** Shows whether the person gets marketing mail, and what is known about how that came about. */
export function Consent({ contact }: { contact: Contact }) {
  const { words } = useWords();
  const times: [label: string, at: string | null][] = [
    [words.person.created, contact.createdAt],
    [words.person.confirmed, contact.confirmedAt],
    [words.person.optedOut, contact.optedOutAt],
    [words.person.snoozedUntil, contact.snoozedUntil],
  ];
  return (
    <div className="p-4">
      <p className="font-medium">{contact.subscribed ? words.person.subscribed : words.person.notSubscribed}</p>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <dt className="text-quiet">{words.person.source}</dt>
        <dd>{words.person.sources[contact.source]}</dd>
        {times.map(
          ([label, at]) =>
            at !== null && (
              <div key={label} className="contents">
                <dt className="text-quiet">{label}</dt>
                <dd>
                  <Time at={at} />
                </dd>
              </div>
            ),
        )}
      </dl>
      <SubscriptionActions contact={contact} />
    </div>
  );
}
