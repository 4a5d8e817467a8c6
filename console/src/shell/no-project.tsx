import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/states";
import { useWords } from "../words/words";

/** Shown to a person who is a member of no project. An owner can create the first one. */
export function NoProject({ isOwner }: { isOwner: boolean }) {
  const { words } = useWords();
  if (!isOwner) return <Empty title={words.shell.noProject}>{words.shell.noProjectAdvice}</Empty>;
  return (
    <Empty title={words.installation.projects.none}>
      <Link to="/installation/projects" className="link">
        {words.installation.projects.make}
      </Link>
    </Empty>
  );
}
