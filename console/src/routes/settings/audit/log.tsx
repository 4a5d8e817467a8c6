import type { AuditEntry } from "petrel-client";
import { useState } from "react";
import type { Rows } from "../../../api/pages";
import { Empty } from "../../../parts/states";
import { type Column, Table } from "../../../parts/table";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { EntryDialog } from "./entry-dialog";
import { type Actor, FilterBar } from "./filter-bar";
import type { AuditFilters } from "./filters";
import { shownActor, shownValue } from "./shown";

export const auditPageSize = 100;

interface AuditLogProps {
  list: Rows<AuditEntry>;
  filters: AuditFilters;
  /** The subject of the log: a project, or the installation. */
  of: string;
  /** Reads who can make changes here. A person who has left is found by one of their entries. */
  readActors(signal: AbortSignal): Promise<Actor[]>;
  noneAdvice: string;
}

/** Shows an audit log with its filters. An entry opens with the values before and after. */
export function AuditLog({ list, filters, of, readActors, noneAdvice }: AuditLogProps) {
  const { words } = useWords();
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const isFiltered = Object.keys(filters).length > 0;
  const texts = words.settings.audit;
  const actions = [...new Set(list.rows.map(({ action }) => action))].toSorted();
  return (
    <>
      <div className="sheet overflow-clip">
        <FilterBar filters={filters} actions={actions} of={of} readActors={readActors} />
        <Table
          label={words.settings.pages.audit}
          rows={list}
          columns={useColumns(setOpened)}
          idOf={({ id }) => id}
          empty={isFiltered ? <Empty title={texts.noMatch} /> : <Empty title={texts.none}>{noneAdvice}</Empty>}
        />
      </div>
      {opened && <EntryDialog entry={opened} filters={filters} onClose={() => setOpened(null)} />}
    </>
  );
}

function useColumns(open: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  const { words } = useWords();
  const texts = words.settings.audit;
  return [
    {
      title: texts.target,
      cell: (entry) => (
        <>
          <button
            type="button"
            className="row-link block w-full truncate text-start font-medium"
            onClick={() => open(entry)}
          >
            <bdi>{entry.target.name ?? entry.target.type}</bdi>
          </button>
          <span className="block truncate text-small text-quiet">
            <code className="font-mono">{entry.action}</code>
            <span className="tablet:hidden">
              {" · "}
              <bdi>{shownActor(entry, texts.operator)}</bdi>
            </span>
          </span>
        </>
      ),
    },
    {
      title: texts.what,
      from: "tablet",
      className: "w-36 desk:w-auto",
      cell: ({ changes }) => <Changed changes={changes} />,
    },
    {
      title: texts.actor,
      from: "tablet",
      className: "w-36 desk:w-52",
      cell: (entry) => <bdi className="block truncate">{shownActor(entry, texts.operator)}</bdi>,
    },
    {
      title: texts.time,
      className: "w-28 text-quiet desk:w-44",
      cell: ({ at }) => <Time at={at} isShort />,
    },
  ];
}

/** Shows a single change in full, and only the number of several. */
function Changed({ changes: [first, ...others] }: Pick<AuditEntry, "changes">) {
  const { words, count } = useWords();
  if (first === undefined) return null;
  return (
    <span className="block truncate text-small text-quiet">
      {others.length > 0 ? (
        words.settings.audit.changes(count(others.length + 1))
      ) : (
        <>
          <code className="font-mono">{first.field}</code>
          {"from" in first && (
            <>
              : <bdi>{shownValue(first.from)}</bdi> → <bdi className="text-ink">{shownValue(first.to)}</bdi>
            </>
          )}
        </>
      )}
    </span>
  );
}
