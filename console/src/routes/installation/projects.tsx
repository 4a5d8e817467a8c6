import { Link } from "@tanstack/react-router";
import type { CreatedProject, Project } from "petrel-client";
import { useState } from "react";
import { useRows } from "../../api/pages";
import { installation } from "../../api/petrel";
import { Amount } from "../../parts/amount";
import { Badge } from "../../parts/badge";
import { Empty } from "../../parts/states";
import { type Column, Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { InstallationFrame } from "./frame";
import { projectsKey } from "./keys";
import { MadeProject } from "./made-project";
import { MakeProject } from "./make-project";

const pageSize = 100;

/** Lists all projects of the installation, newest first. An owner has access to all of them. */
export function ProjectsPage() {
  const { words } = useWords();
  const [made, setMade] = useState<CreatedProject | null>(null);
  const list = useRows(projectsKey, (cursor, signal) =>
    installation.admin.listProjects({ limit: pageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  return (
    <InstallationFrame part="projects" aside={list.total !== undefined && <Amount of={list.total} />}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {made ? <MadeProject made={made} onDone={() => setMade(null)} /> : <MakeProject onMade={setMade} />}
        <div className="sheet overflow-clip">
          <Table
            label={words.installation.pages.projects}
            rows={list}
            columns={useColumns()}
            idOf={({ id }) => id}
            empty={<Empty title={words.installation.projects.none} />}
          />
        </div>
      </div>
    </InstallationFrame>
  );
}

function useColumns(): Column<Project>[] {
  const { words } = useWords();
  return [
    {
      title: words.settings.name,
      cell: ({ id, name, testClock, disabled }) => (
        <span className="flex items-center gap-2">
          <Link
            to="/p/$project"
            params={{ project: id }}
            className="row-link min-w-0 truncate font-medium text-ink no-underline"
          >
            <bdi>{name}</bdi>
          </Link>
          {testClock && <Badge tone="warn">{words.shell.testClock}</Badge>}
          {disabled && <Badge tone="alarm">{words.shell.disabled}</Badge>}
        </span>
      ),
    },
    {
      title: words.settings.project.id,
      from: "tablet",
      className: "w-40 text-quiet desk:w-80",
      cell: ({ id }) => <code className="block truncate font-mono text-small">{id}</code>,
    },
    {
      title: words.settings.keys.made,
      className: "w-28 text-quiet desk:w-44",
      cell: ({ createdAt }) => <Time at={createdAt} isShort />,
    },
  ];
}
