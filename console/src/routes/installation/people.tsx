import type { Person } from "petrel-client";
import { useState } from "react";
import { useRows } from "../../api/pages";
import { installation } from "../../api/petrel";
import { Amount } from "../../parts/amount";
import { Empty } from "../../parts/states";
import { type Column, Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { InstallationFrame } from "./frame";
import { InvitePerson } from "./invite-person";
import { peopleKey } from "./keys";
import { PersonDialog } from "./person-dialog";

const pageSize = 100;

/** Lists everybody who may use the console, newest first, owners and members of projects alike. */
export function InstallationPeoplePage() {
  const { words } = useWords();
  const [opened, setOpened] = useState<Person | null>(null);
  const list = useRows(peopleKey, (cursor, signal) =>
    installation.admin.listPeople({ limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  return (
    <InstallationFrame part="people" aside={list.total !== undefined && <Amount of={list.total} />}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <InvitePerson />
        <div className="sheet overflow-clip">
          <Table
            label={words.installation.pages.people}
            rows={list}
            columns={useColumns(setOpened)}
            idOf={({ id }) => id}
            empty={<Empty title={words.settings.members.none} />}
          />
        </div>
      </div>
      {opened && <PersonDialog person={opened} onClose={() => setOpened(null)} />}
    </InstallationFrame>
  );
}

function useColumns(open: (person: Person) => void): Column<Person>[] {
  const { words } = useWords();
  const texts = words.settings.members;
  const roleOf = ({ role }: Person) => (role === "owner" ? texts.roles.owner : words.installation.people.member);
  return [
    {
      title: words.settings.name,
      cell: (person) => (
        <>
          <button
            type="button"
            className="row-link block w-full truncate text-start font-medium"
            onClick={() => open(person)}
          >
            <bdi>{person.name ?? person.email}</bdi>
          </button>
          <span className="block truncate text-small text-quiet">
            <span className="me-2 tablet:hidden">{roleOf(person)}</span>
            {person.name !== null && <bdi>{person.email}</bdi>}
          </span>
        </>
      ),
    },
    {
      title: texts.role,
      from: "tablet",
      className: "w-28 desk:w-64",
      cell: roleOf,
    },
    {
      title: texts.seen,
      from: "tablet",
      className: "w-36 text-quiet desk:w-48",
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? texts.notSeen : <Time at={lastSeenAt} isShort />),
    },
  ];
}
