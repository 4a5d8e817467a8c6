import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Email } from "petrel-client";
import { useMovement } from "../../api/movement";
import { useRows } from "../../api/pages";
import { useProject } from "../../api/project";
import { Amount } from "../../parts/amount";
import { Button } from "../../parts/button";
import { Page } from "../../parts/page";
import { Empty } from "../../parts/states";
import { type Column, Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { FilterBar } from "./filter-bar";
import type { EmailFilters } from "./filters";
import { FirstMail } from "./first-mail";
import { EmailStatus } from "./status";

const route = getRouteApi("/p/$project/emails");
const pageSize = 100;
const lookMs = 10_000;

const firstMail = `curl -X POST $PETREL/v1/send -H "Authorization: Bearer $SECRET" -H "Content-Type: application/json" \\
  -d '{ "to": "ada@example.com", "from": "hello@acme.example", "subject": "Hi", "body": "<p>Hi</p>" }'`;

/** Shows the mail log: every email of the project, newest first. */
export function EmailsPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const filters = route.useSearch();
  const list = useRows([project, "emails", filters], (cursor, signal) =>
    petrel.emails.list({ ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  const hasNewer = useNewer(filters, list.rows[0]?.id);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title={words.shell.emails}
      aside={list.total !== undefined && <Amount of={list.total} isApproximate={list.isApproximate} />}
      actions={hasNewer && <Button onClick={list.reload}>{words.emails.newer}</Button>}
    >
      <div className="sheet overflow-clip">
        <FilterBar project={project} filters={filters} />
        <Table
          label={words.shell.emails}
          rows={list}
          columns={useColumns(project)}
          idOf={({ id }) => id}
          empty={
            isFiltered ? (
              <Empty title={words.emails.noMatch} />
            ) : (
              <Empty title={words.emails.none} call={firstMail}>
                <p className="mb-4">{words.emails.noneAdvice}</p>
                <FirstMail />
              </Empty>
            )
          }
        />
      </div>
    </Page>
  );
}

function useColumns(project: string): Column<Email>[] {
  const { words } = useWords();
  return [
    {
      title: words.emails.mail,
      cell: ({ id, subject, to, status, createdAt }) => (
        <>
          <span className="flex items-center gap-2">
            <Link
              to="/p/$project/emails/$email"
              params={{ project, email: id }}
              className="row-link min-w-0 flex-1 truncate font-medium text-ink no-underline"
            >
              <bdi>{subject || "·"}</bdi>
            </Link>
            <span className="tablet:hidden">
              <EmailStatus status={status} />
            </span>
          </span>
          <span className="flex gap-2 text-small text-quiet">
            <bdi className="min-w-0 flex-1 truncate">{to}</bdi>
            <span className="tablet:hidden">
              <Time at={createdAt} isShort />
            </span>
          </span>
        </>
      ),
    },
    {
      title: words.emails.source,
      from: "desk",
      className: "w-36 text-quiet",
      cell: ({ source }) => words.source[source],
    },
    {
      title: words.emails.status,
      from: "tablet",
      className: "w-32",
      cell: ({ status }) => <EmailStatus status={status} />,
    },
    {
      title: words.emails.time,
      from: "tablet",
      className: "w-40 text-balance text-quiet desk:w-48",
      cell: ({ createdAt }) => <Time at={createdAt} isShort />,
    },
  ];
}

/** Whether there is mail that the list does not show yet. A list with filters asks for it whenever something is new. */
function useNewer(filters: EmailFilters, first: string | undefined): boolean {
  const { id: project, petrel } = useProject();
  const movement = useMovement(first !== undefined && lookMs);
  const newest = movement?.emailId ?? null;
  const isNewer = first !== undefined && newest !== null && newest > first;
  const isFiltered = Object.keys(filters).length > 0;
  const { data } = useQuery({
    queryKey: [project, "newest email", filters, movement?.version],
    enabled: isNewer && isFiltered,
    queryFn: async ({ signal }) => (await petrel.emails.list({ ...filters, limit: 1 }, { signal })).data[0]?.id ?? null,
  });
  return isNewer && (!isFiltered || (data !== undefined && data !== null && data > first));
}
