import { Link, useNavigate } from "@tanstack/react-router";
import Building2 from "lucide-react/icons/building-2";
import CircleUser from "lucide-react/icons/circle-user";
import LogOut from "lucide-react/icons/log-out";
import Search from "lucide-react/icons/search";
import { type OwnProject, signOut } from "../api/session";
import { Badge } from "../parts/badge";
import { Button } from "../parts/button";
import { SelectField } from "../parts/field";
import { useFirstWords } from "../words/first";
import { openPalette } from "./palette-door";
import { useMe } from "./root";

const linkLook =
  "inline-flex min-h-9 items-center gap-2 rounded-part px-2 text-small text-quiet no-underline hover:bg-hover hover:text-ink";

export function TopBar({ project }: { project: OwnProject | null }) {
  const { words } = useFirstWords();
  const { person, isOwner } = useMe();
  async function leave() {
    await signOut();
    // A full page load, so that nothing this person saw stays in memory.
    location.assign("/console");
  }
  return (
    <header className="sticky top-0 z-10 flex h-14 items-center gap-2 border-b border-line bg-sheet px-3 tablet:px-4">
      {project === null ? <span className="px-2 font-semibold text-quiet">Petrel</span> : <Chosen project={project} />}
      <span className="ms-auto" />
      {project && (
        <Button onClick={openPalette} aria-keyshortcuts="Meta+K Control+K">
          <Search size={16} aria-hidden />
          <span className="sr-only tablet:not-sr-only">{words.shell.search}</span>
          <kbd aria-hidden className="hidden font-sans text-small text-quiet tablet:inline">
            ⌘K
          </kbd>
        </Button>
      )}
      {isOwner && (
        // On a phone, the settings link there.
        <Link
          to="/installation/projects"
          title={words.shell.installation}
          className={`${linkLook} ${project ? "max-tablet:hidden" : ""}`}
        >
          <Building2 size={16} aria-hidden />
          <span className="sr-only">{words.shell.installation}</span>
        </Link>
      )}
      <Link to="/account" title={words.shell.account} className={linkLook}>
        <CircleUser size={16} aria-hidden />
        <bdi className="hidden max-w-56 truncate desk:inline">{person.email}</bdi>
        <span className="sr-only">{words.shell.account}</span>
      </Link>
      <Button kind="quiet" aria-label={words.shell.signOut} title={words.shell.signOut} onClick={() => void leave()}>
        <LogOut size={16} aria-hidden />
      </Button>
    </header>
  );
}

/** Shows the open project, and a menu of the others. */
function Chosen({ project: { id, name, testClock, disabled } }: { project: OwnProject }) {
  const { words } = useFirstWords();
  const { projects } = useMe();
  const navigate = useNavigate();
  return (
    <>
      <div className="w-40 min-w-0 tablet:w-56">
        <SelectField
          label={words.shell.project}
          isBare
          value={id}
          onChange={({ target }) => void navigate({ to: "/p/$project", params: { project: target.value } })}
        >
          {projects.every((project) => project.id !== id) && <option value={id}>{name}</option>}
          {projects.map((project) => (
            <option key={project.id} value={project.id}>
              {project.name}
            </option>
          ))}
        </SelectField>
      </div>
      {testClock && <Badge tone="warn">{words.shell.testClock}</Badge>}
      {disabled && <Badge tone="alarm">{words.shell.disabled}</Badge>}
    </>
  );
}
