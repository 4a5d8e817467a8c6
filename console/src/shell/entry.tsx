import { Link, Navigate } from "@tanstack/react-router";
import { Empty } from "../parts/states";
import { useWords } from "../words/words";
import { Frame } from "./frame";
import { lastProject } from "./last-project";
import { useMe } from "./root";

/** The address of the console itself leads to the project that was open last. */
export function Entry() {
  const { words } = useWords();
  const { projects, isOwner } = useMe();
  const last = lastProject();
  const project = projects.find(({ id }) => id === last) ?? projects[0];
  if (project) return <Navigate to="/p/$project" params={{ project: project.id }} replace />;
  return (
    <Frame project={null}>
      {isOwner ? (
        <Empty title={words.installation.projects.none}>
          <Link to="/installation/projects" className="link">
            {words.installation.projects.make}
          </Link>
        </Empty>
      ) : (
        <Empty title={words.shell.noProject}>{words.shell.noProjectAdvice}</Empty>
      )}
    </Frame>
  );
}
