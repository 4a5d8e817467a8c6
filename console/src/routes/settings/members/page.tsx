import type { Member } from "petrel-client";
import { useState } from "react";
import { useRows } from "../../../api/pages";
import { useProject } from "../../../api/project";
import { useMay } from "../../../api/rights";
import { Amount } from "../../../parts/amount";
import { Empty } from "../../../parts/states";
import { type Column, Table } from "../../../parts/table";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";
import { Invite } from "./invite";
import { MemberDialog } from "./member-dialog";

export const membersOf = (project: string) => [project, "members"];
const pageSize = 100;

/** Lists the people who use the console of this project, and their rights. */
export function MembersPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const [opened, setOpened] = useState<Member | null>(null);
  const list = useRows(membersOf(project), (cursor, signal) =>
    petrel.admin.listMembers(project, { limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  const texts = words.settings.members;
  return (
    <SettingsFrame part="members" aside={list.total !== undefined && <Amount of={list.total} />}>
      <div className="grid gap-4">
        {may("admin.inviteMember") && <Invite />}
        <div className="sheet overflow-clip">
          <Table
            label={words.settings.pages.members}
            rows={list}
            columns={useColumns(setOpened)}
            idOf={({ id }) => id}
            empty={<Empty title={texts.none}>{texts.noneAdvice}</Empty>}
          />
        </div>
      </div>
      {opened && <MemberDialog member={opened} onClose={() => setOpened(null)} />}
    </SettingsFrame>
  );
}

function useColumns(open: (member: Member) => void): Column<Member>[] {
  const { words } = useWords();
  const texts = words.settings.members;
  const rightsOf = ({ role, maySend, seesPersonalData }: Member) => [
    texts.roles[role],
    ...(maySend ? [] : [texts.mayNotSend]),
    ...(seesPersonalData ? [] : [texts.masked]),
  ];
  return [
    {
      title: words.settings.name,
      cell: (member) => (
        <>
          <button
            type="button"
            className="row-link block w-full truncate text-start font-medium"
            onClick={() => open(member)}
          >
            <bdi>{member.name ?? member.email}</bdi>
          </button>
          <span className="block truncate text-small text-quiet">
            <span className="me-2 tablet:hidden">{rightsOf(member).join(" · ")}</span>
            {member.name !== null && <bdi>{member.email}</bdi>}
          </span>
        </>
      ),
    },
    {
      title: texts.role,
      from: "tablet",
      className: "w-36 desk:w-64",
      cell: (member) => (
        <>
          {texts.roles[member.role]}
          <span className="block truncate text-small text-quiet">{rightsOf(member).slice(1).join(" · ")}</span>
        </>
      ),
    },
    {
      title: texts.seen,
      from: "tablet",
      className: "w-36 text-quiet desk:w-48",
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? texts.notSeen : <Time at={lastSeenAt} isShort />),
    },
  ];
}
