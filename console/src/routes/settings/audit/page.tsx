import { getRouteApi } from "@tanstack/react-router";
import type { AuditEntry } from "petrel-client";
import { useState } from "react";
import { useRows } from "../../../api/pages";
import { useProject } from "../../../api/project";
import { Amount } from "../../../parts/amount";
import { Empty } from "../../../parts/states";
import { type Column, Table } from "../../../parts/table";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";
import { EntryDialog } from "./entry-dialog";
import { FilterBar } from "./filter-bar";
import { shownActor, shownValue } from "./shown";

const route = getRouteApi("/p/$project/settings/audit");
const pageSize = 100;

/** The changes in the project, by whom and when, newest first. */
export function AuditPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const filters = route.useSearch();
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const list = useRows([project, "audit", filters], (cursor, signal) =>
    petrel.audit.list({ ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  const isFiltered = Object.keys(filters).length > 0;
  const texts = words.settings.audit;
  const actions = [...new Set(list.rows.map(({ action }) => action))].toSorted();
  return (
    <SettingsFrame
      part="audit"
      aside={list.total !== undefined && <Amount of={list.total} isApproximate={list.isApproximate} />}
    >
      <div className="sheet overflow-clip">
        <FilterBar project={project} filters={filters} actions={actions} />
        <Table
          label={words.settings.pages.audit}
          rows={list}
          columns={useColumns(setOpened)}
          idOf={({ id }) => id}
          empty={isFiltered ? <Empty title={texts.noMatch} /> : <Empty title={texts.none}>{texts.noneAdvice}</Empty>}
        />
      </div>
      {opened && <EntryDialog entry={opened} filters={filters} onClose={() => setOpened(null)} />}
    </SettingsFrame>
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
      isWide: true,
      cell: ({ changes }) => <Changed changes={changes} />,
    },
    {
      title: texts.actor,
      isWide: true,
      className: "w-52",
      cell: (entry) => <bdi className="block truncate">{shownActor(entry, texts.operator)}</bdi>,
    },
    {
      title: texts.time,
      className: "w-28 text-quiet tablet:w-44",
      cell: ({ at }) => <Time at={at} isShort />,
    },
  ];
}

/** One change as it is, and of several only how many. */
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
