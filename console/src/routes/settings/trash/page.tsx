import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { TrashPage as TrashAnswer } from "petrel-client";
import { useRows } from "../../../api/pages";
import { useProject } from "../../../api/project";
import { useMay } from "../../../api/rights";
import { Amount } from "../../../parts/amount";
import { Button } from "../../../parts/button";
import { Empty, Refused } from "../../../parts/states";
import { type Column, Table } from "../../../parts/table";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";

type Entry = TrashAnswer["data"][number];

const pageSize = 100;

/** Lists what was deleted and can be restored, newest deletion first. */
export function TrashPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const list = useRows([project, "trash"], (cursor, signal) =>
    petrel.trash.list({ limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  const texts = words.settings.trash;
  return (
    <SettingsFrame
      part="trash"
      aside={list.total !== undefined && <Amount of={list.total} isApproximate={list.isApproximate} />}
    >
      <p className="mb-4 text-quiet">{texts.seen}</p>
      <div className="sheet overflow-clip">
        <Table
          label={words.settings.pages.trash}
          rows={list}
          columns={useColumns()}
          idOf={({ type, id }) => `${type} ${id}`}
          empty={<Empty title={texts.none} />}
        />
      </div>
    </SettingsFrame>
  );
}

function useColumns(): Column<Entry>[] {
  const { words } = useWords();
  const texts = words.settings.trash;
  return [
    {
      title: texts.name,
      cell: ({ type, name, deletedAt }) => (
        <>
          <bdi className="block truncate font-medium">{name}</bdi>
          <span className="block truncate text-small text-quiet">
            {texts.types[type]} · {texts.deleted} <Time at={deletedAt} isShort />
          </span>
        </>
      ),
    },
    {
      title: texts.until,
      from: "tablet",
      className: "w-40 text-quiet",
      cell: ({ restorableUntil }) => <Time at={restorableUntil} isShort />,
    },
    { title: texts.restore, className: "w-40 tablet:w-64", cell: (entry) => <Restore entry={entry} /> },
  ];
}

function Restore({ entry: { type, id, name } }: { entry: Entry }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => petrel.trash.restore(type, id),
    // Other pages list it again.
    onSuccess: () => queries.invalidateQueries({ queryKey: [project] }),
  });
  const { restore } = words.settings.trash;
  if (!may("trash.restore")) return null;
  return (
    <>
      <Button aria-label={`${restore}: ${name}`} isBusy={isPending} onClick={() => mutate()}>
        {restore}
      </Button>
      {error && <Refused error={error} />}
    </>
  );
}
