import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { useProject } from "../../api/project";
import { Page } from "../../parts/page";
import { useWords } from "../../words/words";
import { type SettingsPart, useSettingsPages } from "./pages";

interface SettingsFrameProps {
  part: SettingsPart;
  /** Shown next to the title, such as a total. */
  aside?: ReactNode;
  children: ReactNode;
}

/** Frames a page of the settings, with links to the others. */
export function SettingsFrame({ part, aside, children }: SettingsFrameProps) {
  const { words } = useWords();
  const { id: project } = useProject();
  const pages = useSettingsPages();
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // Not all tabs fit on a phone.
    tabs.current?.querySelector(`[data-part="${part}"]`)?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [part]);
  return (
    <Page title={words.settings.pages[part]} aside={aside}>
      <nav ref={tabs} aria-label={words.shell.settings} className="-mt-1 mb-4 overflow-x-auto">
        <ul className="flex gap-1 border-b border-line">
          {pages.map(({ part: other, to }) => (
            <li key={other}>
              <Link
                to={to}
                params={{ project }}
                data-part={other}
                activeProps={{ className: "border-main text-main font-medium" }}
                inactiveProps={{ className: "border-transparent text-quiet hover:text-ink" }}
                className="block border-b-2 px-3 py-2 whitespace-nowrap no-underline"
              >
                {words.settings.pages[other]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </Page>
  );
}
