import { getRouteApi, Outlet } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { petrelOf } from "../api/petrel";
import { ProjectContext } from "../api/project";
import { useWords } from "../words/words";
import { keepProject } from "./last-project";
import { Navigation } from "./navigation";
import { Nowhere } from "./nowhere";
import { Palette } from "./palette";
import { useMe } from "./root";
import { TopBar } from "./top-bar";

const route = getRouteApi("/p/$project");

/** The frame around every page of a project. */
export function Shell() {
  const { words } = useWords();
  const { project: id } = route.useParams();
  const { projects } = useMe();
  const own = projects.find((project) => project.id === id);
  const project = useMemo(() => (own ? { ...own, petrel: petrelOf(own.id) } : null), [own]);
  useEffect(() => {
    if (own) keepProject(own.id);
  }, [own]);
  if (project === null) return <Nowhere />;
  return (
    <ProjectContext value={project}>
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-sheet focus:p-3">
        {words.shell.skip}
      </a>
      <TopBar />
      <div className="tablet:flex">
        <Navigation />
        <div className="min-w-0 flex-1 pb-20 tablet:pb-0">
          <Outlet />
        </div>
      </div>
      <Palette />
    </ProjectContext>
  );
}
