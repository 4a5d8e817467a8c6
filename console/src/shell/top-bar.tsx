import { Link, useNavigate } from "@tanstack/react-router";
import { CircleUser, LogOut, Search } from "lucide-react";
import { useProject } from "../api/project";
import { signOut } from "../api/session";
import { Badge } from "../parts/badge";
import { Button } from "../parts/button";
import { SelectField } from "../parts/field";
import { useWords } from "../words/words";
import { openPalette } from "./palette";
import { useMe } from "./root";

export function TopBar() {
  const { words } = useWords();
  const { id, testClock, disabled } = useProject();
  const { projects, person } = useMe();
  const navigate = useNavigate();
  async function leave() {
    await signOut();
    // A new page: nothing that this person saw stays in it.
    location.assign("/console");
  }
  return (
    <header className="sticky top-0 z-10 flex h-14 items-center gap-2 border-b border-line bg-sheet px-3 tablet:px-4">
      <div className="w-40 min-w-0 tablet:w-56">
        <SelectField
          label={words.shell.project}
          isBare
          value={id}
          onChange={({ target }) => void navigate({ to: "/p/$project", params: { project: target.value } })}
        >
          {projects.map((project) => (
            <option key={project.id} value={project.id}>
              {project.name}
            </option>
          ))}
        </SelectField>
      </div>
      {testClock && <Badge tone="warn">{words.shell.testClock}</Badge>}
      {disabled && <Badge tone="alarm">{words.shell.disabled}</Badge>}
      <Button className="ms-auto" onClick={openPalette} aria-keyshortcuts="Meta+K Control+K">
        <Search size={16} aria-hidden />
        <span className="sr-only tablet:not-sr-only">{words.shell.search}</span>
        <kbd aria-hidden className="hidden font-sans text-small text-quiet tablet:inline">
          ⌘K
        </kbd>
      </Button>
      <Link
        to="/p/$project/account"
        params={{ project: id }}
        title={words.signIns.title}
        className="inline-flex min-h-9 items-center gap-2 rounded-part px-2 text-small text-quiet no-underline hover:bg-hover hover:text-ink"
      >
        <CircleUser size={16} aria-hidden />
        <bdi className="hidden max-w-56 truncate desk:inline">{person.email}</bdi>
        <span className="sr-only">{words.signIns.title}</span>
      </Link>
      <Button kind="quiet" aria-label={words.shell.signOut} title={words.shell.signOut} onClick={() => void leave()}>
        <LogOut size={16} aria-hidden />
      </Button>
    </header>
  );
}
