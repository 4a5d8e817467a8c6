import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { byNumber } from "../../api/numbered";
import { useRows } from "../../api/pages";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Amount } from "../../parts/amount";
import { buttonLook } from "../../parts/button";
import { Choice } from "../../parts/choice";
import { Page } from "../../parts/page";
import { SearchField } from "../../parts/search-field";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { useWords } from "../../words/words";
import { useColumns } from "./columns";
import type { CampaignFilters } from "./filters";

const route = getRouteApi("/p/$project/campaigns");
/** Small, because each campaign comes with its whole content. */
const pageSize = 25;

const firstCampaign = `curl -X POST $PETREL/campaigns -H "Authorization: Bearer $SECRET" -H "Content-Type: application/json" \\
  -d '{ "name": "March", "subject": "News", "body": "<p>Hi</p>", "from": "news@acme.example", "audienceType": "ALL" }'`;

/** Lists the campaigns of a project, newest first. The numbers of a campaign that is being sent are updated. */
export function CampaignsPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const show = (change: Record<string, string>) => {
    const next = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== "");
    // The service refuses unknown values.
    const search = Object.fromEntries(next) as CampaignFilters;
    void navigate({ to: "/p/$project/campaigns", params: { project }, search, replace: true });
  };
  const list = useRows([project, "campaigns", filters], (cursor, signal) =>
    byNumber(petrel.campaigns.list({ ...filters, pageSize, page: Number(cursor ?? 1) }, { signal })),
  );
  const isFiltered = Object.keys(filters).length > 0;
  const statuses = [["", words.campaigns.any] as const, ...Object.entries(words.campaigns.status)];
  return (
    <Page
      title={words.shell.campaigns}
      aside={list.total !== undefined && <Amount of={list.total} />}
      actions={<NewCampaign />}
    >
      <div className="sheet overflow-clip">
        <search className="flex flex-wrap items-center gap-3 border-b border-line p-4">
          <SearchField
            label={words.campaigns.search}
            search={filters.search ?? ""}
            change={(search) => show({ search })}
          />
          <Choice
            label={words.campaigns.state}
            value={filters.status ?? ""}
            options={statuses}
            choose={(status) => show({ status })}
          />
        </search>
        <Table
          label={words.shell.campaigns}
          rows={list}
          columns={useColumns(project)}
          idOf={({ id }) => id}
          empty={
            isFiltered ? (
              <Empty title={words.campaigns.noMatch} />
            ) : (
              <Empty title={words.campaigns.none} call={firstCampaign}>
                <p className="mb-4">{words.campaigns.noneAdvice}</p>
                <NewCampaign />
              </Empty>
            )
          }
        />
      </div>
    </Page>
  );
}

function NewCampaign() {
  const { words } = useWords();
  const { id: project } = useProject();
  const may = useMay();
  if (!may("campaigns.create")) return null;
  return (
    <Link to="/p/$project/campaigns/new" params={{ project }} className={buttonLook("main")}>
      <Plus size={16} aria-hidden />
      {words.campaignEdit.create}
    </Link>
  );
}
