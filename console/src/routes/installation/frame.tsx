import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../parts/page";
import { Nowhere } from "../../shell/nowhere";
import { useMe } from "../../shell/root";
import { useWords } from "../../words/words";

const parts = ["projects", "people", "audit"] as const;

interface InstallationFrameProps {
  part: (typeof parts)[number];
  /** Shown next to the title, such as a total. */
  aside?: ReactNode;
  children: ReactNode;
}

/** Frames a page about the whole installation, with links to the others. Only owners have these pages. */
export function InstallationFrame({ part, aside, children }: InstallationFrameProps) {
  const { words } = useWords();
  const { isOwner } = useMe();
  if (!isOwner) return <Nowhere />;
  return (
    <Page title={words.installation.pages[part]} aside={aside}>
      <nav aria-label={words.shell.installation} className="-mt-1 mb-4 overflow-x-auto">
        <ul className="flex gap-1 border-b border-line">
          {parts.map((other) => (
            <li key={other}>
              <Link
                to={`/installation/${other}`}
                activeProps={{ className: "border-main text-main font-medium" }}
                inactiveProps={{ className: "border-transparent text-quiet hover:text-ink" }}
                className="block border-b-2 px-3 py-2 whitespace-nowrap no-underline"
              >
                {words.installation.pages[other]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </Page>
  );
}
