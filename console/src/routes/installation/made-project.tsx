import { Link } from "@tanstack/react-router";
import type { CreatedProject } from "petrel-client";
import { Button } from "../../parts/button";
import { CopyButton } from "../../parts/copy";
import { useWords } from "../../words/words";

/** Shows a new project, with its first keys. */
export function MadeProject({ made: { project, keys }, onDone }: { made: CreatedProject; onDone(): void }) {
  const { words } = useWords();
  const texts = words.settings.keys;
  return (
    <section aria-label={words.installation.projects.made} className="sheet grid gap-3 border-good p-4">
      <p className="font-medium">
        <Link to="/p/$project" params={{ project: project.id }} className="link">
          <bdi>{project.name}</bdi>
        </Link>
        : {words.installation.projects.made} {texts.shownOnce}
      </p>
      {(["secret", "public"] as const).map((kind) => (
        <div key={kind}>
          <p className="mb-1 text-small text-quiet">{texts.kinds[kind]}</p>
          <div className="flex items-center gap-1 rounded-part bg-quiet-tint ps-3">
            <code className="min-w-0 flex-1 py-2 font-mono text-small break-all">{keys[kind]}</code>
            <CopyButton text={keys[kind]} of={texts.kinds[kind]} />
          </div>
        </div>
      ))}
      <div>
        <Button kind="main" onClick={onDone}>
          {texts.done}
        </Button>
      </div>
    </section>
  );
}
