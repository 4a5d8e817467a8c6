import type { Contact, SnoozeContact } from "petrel-client";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { SelectField } from "../../parts/field";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { usePersonChange } from "./use-person-change";

type Duration = NonNullable<SnoozeContact["duration"]>;

/** Subscribes a person, or unsubscribes them for good or for a while. */
export function SubscriptionActions({ contact }: { contact: Contact }) {
  const { words } = useWords();
  const { petrel } = useProject();
  const may = useMay();
  const { id, email, subscribed, snoozedUntil } = contact;
  const subscribe = usePersonChange(id, (wanted: boolean) => petrel.contacts.update(id, { subscribed: wanted }));
  const snooze = usePersonChange(id, (duration: Duration) => petrel.contacts.snooze(id, { duration }));
  const wake = usePersonChange(id, () => petrel.contacts.unsnooze(id));
  const isBusy = subscribe.isPending || snooze.isPending || wake.isPending;
  const error = subscribe.error ?? snooze.error ?? wake.error;
  const ask = (operation: "subscribe" | "unsubscribe") => (
    <Confirm
      label={words.people.bulk[operation]}
      title={words.people.bulk.title[operation](email)}
      action={words.people.bulk[operation]}
      run={() => subscribe.mutate(operation === "subscribe")}
      isBusy={isBusy}
    >
      {words.people.bulk.advice[operation]}
    </Confirm>
  );
  return (
    <div className="mt-4 flex flex-wrap items-end gap-2 empty:hidden">
      {may("contacts.update") && ask(subscribed ? "unsubscribe" : "subscribe")}
      {snoozedUntil !== null && may("contacts.unsnooze") && (
        <Button isBusy={isBusy} onClick={() => wake.mutate()}>
          {words.person.wake}
        </Button>
      )}
      {(subscribed || snoozedUntil !== null) && may("contacts.snooze") && (
        <SelectField
          label={words.person.snooze}
          isBare
          value=""
          disabled={isBusy}
          onChange={({ target }) => snooze.mutate(target.value as Duration)}
        >
          <option value="" disabled>
            {words.person.snooze}
          </option>
          {Object.entries(words.person.snoozes).map(([duration, text]) => (
            <option key={duration} value={duration}>
              {text}
            </option>
          ))}
        </SelectField>
      )}
      {error && (
        <div className="basis-full">
          <Refused error={error} />
        </div>
      )}
    </div>
  );
}
