import { type ReactNode, useMemo } from "react";
import { petrelOf } from "../api/petrel";
import { ProjectContext } from "../api/project";
import type { OwnProject } from "../api/session";
import { useFirstWords } from "../words/first";
import { Navigation } from "./navigation";
import { PaletteDoor } from "./palette-door";
import { TopBar } from "./top-bar";

/** Frames every page. A person without a project sees no project pages. */
export function Frame({ project: own, children }: { project: OwnProject | null; children: ReactNode }) {
  const { words } = useFirstWords();
  const project = useMemo(() => own && { ...own, petrel: petrelOf(own.id) }, [own]);
  return (
    <ProjectContext value={project}>
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-sheet focus:p-3">
        {words.shell.skip}
      </a>
      <TopBar project={project} />
      <div className="tablet:flex">
        {project && <Navigation />}
        <div className="min-w-0 flex-1 pb-20 tablet:pb-0">{children}</div>
      </div>
      {project && <PaletteDoor />}
    </ProjectContext>
  );
}
