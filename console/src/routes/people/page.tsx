import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { Contact } from "petrel-client";
import { useRows } from "../../api/pages";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { buttonLook } from "../../parts/button";
import { conditionOf } from "../../parts/conditions/condition";
import { Filters } from "../../parts/conditions/filters";
import { Page } from "../../parts/page";
import { SearchField } from "../../parts/search-field";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { atLeast } from "../../words/counting";
import { useWords } from "../../words/words";
import { AddPerson } from "./add-person";
import { BulkBar } from "./bulk-bar";
import { ChooseColumns, usePeopleColumns } from "./columns";
import type { PeopleFilters } from "./filters";
import { SaveSegment } from "./save-segment";
import { useSelection } from "./selection";

const route = getRouteApi("/p/$project/people");
const pageSize = 100;

const firstPerson = `curl -X POST $PETREL/contacts -H "Authorization: Bearer $SECRET" -H "Content-Type: application/json" \\
  -d '{ "email": "ada@example.com", "data": { "plan": "pro" } }'`;

/** Lists the people of a project by conditions, with their number. */
export function PeoplePage() {
  const { words, count } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const { search, where = [], columns = [] } = filters;
  const selection = useSelection(JSON.stringify([search, where]));
  const show = (next: PeopleFilters, replace = false) =>
    void navigate({ to: "/p/$project/people", params: { project }, search: next, replace });
  const list = useRows([project, "people", search, where], (cursor, signal) =>
    petrel.contacts.query(
      {
        ...(search === undefined ? {} : { search }),
        ...(where.length === 0 ? {} : { condition: conditionOf(where) }),
        ...(cursor === undefined ? {} : { cursor }),
        limit: pageSize,
      },
      { signal },
    ),
  );
  const isFiltered = search !== undefined || where.length > 0;
  const found = count(list.total ?? 0);
  const total = list.isApproximate ? atLeast(found) : found;
  return (
    <Page
      title={words.shell.people}
      aside={<span role="status">{list.total !== undefined && words.people.count(total)}</span>}
      actions={
        <>
          {may("contacts.beginImport") && (
            <Link to="/p/$project/people/import" params={{ project }} className={buttonLook("plain")}>
              {words.people.import.title}
            </Link>
          )}
          {(isFiltered || list.rows.length > 0) && <AddPerson kind="plain" />}
        </>
      }
    >
      <div className="sheet overflow-clip">
        <search className="flex flex-wrap gap-2 border-b border-line p-4">
          <SearchField
            label={words.people.search}
            search={search ?? ""}
            change={(text) => show({ ...filters, search: text || undefined }, true)}
          />
          <Filters filters={where} change={(next) => show({ ...filters, where: next })} />
          {where.length > 0 && may("segments.create") && <SaveSegment where={where} />}
          <div className="ms-auto">
            <ChooseColumns chosen={columns} choose={(next) => show({ ...filters, columns: next }, true)} />
          </div>
        </search>
        <BulkBar filters={filters} selection={selection} total={total} recount={list.reload} />
        <Table
          label={words.shell.people}
          rows={list}
          columns={usePeopleColumns(project, columns)}
          {...(may("contacts.bulkSubscribe") && {
            selection: { ...selection, nameOf: ({ email }: Contact) => email, all: words.people.bulk.all(total) },
          })}
          idOf={({ id }) => id}
          empty={
            isFiltered ? (
              <Empty title={words.people.noMatch} />
            ) : (
              <Empty title={words.people.none} call={firstPerson}>
                <p className="mb-4">{words.people.noneAdvice}</p>
                <AddPerson kind="main" />
              </Empty>
            )
          }
        />
      </div>
    </Page>
  );
}
