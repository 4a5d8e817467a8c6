import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { Contact } from "petrel-client";
import { useRows } from "../../api/pages";
import { useProject } from "../../api/project";
import { Page } from "../../parts/page";
import { SearchField } from "../../parts/search-field";
import { Empty } from "../../parts/states";
import { type Column, Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { AddFilter } from "./add-filter";
import { Chips } from "./chips";
import { conditionOf, type PeopleFilters } from "./filters";
import { SaveSegment } from "./save-segment";
import { Subscription } from "./subscription";

const route = getRouteApi("/p/$project/people");
const pageSize = 100;

const firstPerson = `curl -X POST $PETREL/contacts -H "Authorization: Bearer $SECRET" -H "Content-Type: application/json" \\
  -d '{ "email": "ada@example.com", "data": { "plan": "pro" } }'`;

/** The people of a project, by conditions, with their number. */
export function PeoplePage() {
  const { words, number } = useWords();
  const { id: project, petrel } = useProject();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const { search, where = [] } = filters;
  const show = (next: PeopleFilters, replace = false) =>
    void navigate({ to: "/p/$project/people", params: { project }, search: next, replace });
  const list = useRows([project, "people", filters], (cursor, signal) =>
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
  const count = list.total;
  return (
    <Page
      title={words.shell.people}
      aside={
        <span role="status">
          {count !== undefined && `${list.isApproximate ? "≥ " : ""}${words.people.count(number(count), count === 1)}`}
        </span>
      }
    >
      <div className="sheet overflow-clip">
        <search className="flex flex-wrap gap-2 border-b border-line p-4">
          <SearchField
            label={words.people.search}
            search={search ?? ""}
            change={(text) => show({ ...filters, search: text || undefined }, true)}
          />
          <Chips where={where} remove={(gone) => show({ ...filters, where: where.filter((one) => one !== gone) })} />
          <AddFilter add={(filter) => show({ ...filters, where: [...where, filter] })} />
          {where.length > 0 && <SaveSegment where={where} />}
        </search>
        <Table
          label={words.shell.people}
          rows={list}
          columns={useColumns(project)}
          idOf={({ id }) => id}
          empty={
            isFiltered ? (
              <Empty title={words.people.noMatch} />
            ) : (
              <Empty title={words.people.none} call={firstPerson}>
                {words.people.noneAdvice}
              </Empty>
            )
          }
        />
      </div>
    </Page>
  );
}

function useColumns(project: string): Column<Contact>[] {
  const { words } = useWords();
  return [
    {
      title: words.people.email,
      cell: (contact) => (
        <>
          <Link
            to="/p/$project/people/$person"
            params={{ project, person: contact.id }}
            className="row-link block truncate font-medium text-ink no-underline"
          >
            <bdi>{contact.email}</bdi>
          </Link>
          <span className="block truncate text-small text-quiet">
            <bdi>{summaryOf(contact.data)}</bdi>
          </span>
        </>
      ),
    },
    {
      title: words.people.subscribed,
      className: "w-36",
      cell: (contact) => <Subscription contact={contact} />,
    },
    {
      title: words.people.since,
      isWide: true,
      className: "w-48 text-quiet",
      cell: ({ createdAt }) => <Time at={createdAt} isShort />,
    },
  ];
}

/** The first few of a person's data, in one line. */
function summaryOf(data: Record<string, unknown>): string {
  const plain = Object.entries(data).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return plain
    .slice(0, 4)
    .map(([name, value]) => `${name}: ${value}`)
    .join(" · ");
}
