import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Job } from "petrel-client";
import { useState } from "react";
import { useRows } from "../../../api/pages";
import { useProject } from "../../../api/project";
import { Amount } from "../../../parts/amount";
import { SelectField } from "../../../parts/field";
import { Empty } from "../../../parts/states";
import { type Column, Table } from "../../../parts/table";
import { lengthOf, Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";
import { readJobFilters } from "./filters";
import { JobDialog } from "./job-dialog";
import { Progress } from "./progress";

const route = getRouteApi("/p/$project/settings/jobs");
const pageSize = 100;

/** Lists background work, newest first. */
export function JobsPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const navigate = useNavigate();
  const filters = route.useSearch();
  const [opened, setOpened] = useState<Job | null>(null);
  const list = useRows([project, "jobs", filters], (cursor, signal) =>
    petrel.jobs.list({ ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  const texts = words.settings.jobs;
  return (
    <SettingsFrame
      part="jobs"
      aside={list.total !== undefined && <Amount of={list.total} isApproximate={list.isApproximate} />}
    >
      <div className="sheet overflow-clip">
        <search className="block border-b border-line p-4">
          <div className="max-w-56">
            <SelectField
              label={texts.status}
              value={filters.status ?? ""}
              onChange={({ target: { value: status } }) =>
                void navigate({
                  to: "/p/$project/settings/jobs",
                  params: { project },
                  search: readJobFilters({ status }),
                })
              }
            >
              <option value="">{texts.anyStatus}</option>
              {Object.entries(texts.statuses).map(([status, word]) => (
                <option key={status} value={status}>
                  {word}
                </option>
              ))}
            </SelectField>
          </div>
        </search>
        <Table
          label={words.settings.pages.jobs}
          rows={list}
          columns={useColumns(setOpened)}
          idOf={({ jobId }) => jobId}
          empty={<Empty title={filters.status ? texts.noMatch : texts.none} />}
        />
      </div>
      {opened && <JobDialog job={opened} onClose={() => setOpened(null)} />}
    </SettingsFrame>
  );
}

function useColumns(open: (job: Job) => void): Column<Job>[] {
  const { words, locale } = useWords();
  const texts = words.settings.jobs;
  return [
    {
      title: texts.type,
      cell: (job) => (
        <>
          <button
            type="button"
            className="row-link block w-full truncate text-start font-mono text-small font-medium"
            onClick={() => open(job)}
          >
            {job.type}
          </button>
          <span className="block truncate text-small text-quiet">
            <Time at={job.createdAt} isShort />
          </span>
        </>
      ),
    },
    { title: texts.status, className: "w-40 tablet:w-64", cell: (job) => <Progress job={job} /> },
    {
      title: texts.took,
      from: "tablet",
      className: "w-40 text-quiet",
      cell: ({ createdAt, completedAt }) =>
        completedAt !== null && lengthOf(Date.parse(completedAt) - Date.parse(createdAt), locale),
    },
  ];
}
