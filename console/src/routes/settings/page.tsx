import { Link } from "@tanstack/react-router";
import Building2 from "lucide-react/icons/building-2";
import Globe from "lucide-react/icons/globe";
import Layers from "lucide-react/icons/layers";
import { useProject } from "../../api/project";
import { Page } from "../../parts/page";
import { useMe } from "../../shell/root";
import { useWords } from "../../words/words";
import { useSettingsPages } from "./pages";

/** Lists all settings of the project, and parts without a page. */
export function SettingsIndex() {
  const { words } = useWords();
  const { id: project } = useProject();
  const { isOwner } = useMe();
  const { settings } = words;
  const places = [
    ...useSettingsPages().map(({ part, ...place }) => ({ ...place, part, name: settings.pages[part] })),
    { part: "domains", to: "/p/$project/domains", icon: Globe, name: words.shell.domains },
    { part: "more", to: "/p/$project/more", icon: Layers, name: words.more.title },
    ...(isOwner
      ? ([
          { part: "installation", to: "/installation/projects", icon: Building2, name: words.shell.installation },
        ] as const)
      : []),
  ] as const;
  return (
    <Page title={words.shell.settings}>
      <ul className="grid gap-3 tablet:grid-cols-2 wide:grid-cols-3">
        {places.map(({ part, to, icon: Icon, name }) => (
          <li key={part} className="sheet relative flex items-start gap-3 p-4 hover:bg-hover">
            <Icon size={20} aria-hidden className="mt-0.5 shrink-0 text-main" />
            <div>
              <Link to={to} params={{ project }} className="row-link font-medium text-ink no-underline">
                {name}
              </Link>
              <p className="text-small text-quiet">{settings.leads[part]}</p>
            </div>
          </li>
        ))}
      </ul>
    </Page>
  );
}
