import type { Contact } from "petrel-client";
import { useState } from "react";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { ChangeDialog } from "./change-dialog";

/** The data of a person. */
export function Data({ contact }: { contact: Contact }) {
  const { words } = useWords();
  const may = useMay();
  const [isOpen, setIsOpen] = useState(false);
  const change = may("contacts.update") && <Button onClick={() => setIsOpen(true)}>{words.person.change}</Button>;
  return (
    <Section title={words.person.data} actions={change}>
      <Values data={contact.data} />
      {isOpen && <ChangeDialog contact={contact} onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

function Values({ data }: { data: Contact["data"] }) {
  const { words } = useWords();
  const entries = Object.entries(data);
  if (entries.length === 0) return <p className="p-4 text-quiet">{words.person.noData}</p>;
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1 p-4">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{typeof value === "string" ? value : JSON.stringify(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
