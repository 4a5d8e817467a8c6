import { Link } from "@tanstack/react-router";
import { useProject } from "../api/project";
import { useFirstWords } from "../words/first";
import { places } from "./places";

/** Shows the navigation: next to the page, or below it on a phone. */
export function Navigation() {
  const { words } = useFirstWords();
  const { id } = useProject();
  return (
    <nav
      aria-label={words.shell.pages}
      className="fixed inset-x-0 bottom-0 z-10 border-t border-line bg-sheet tablet:sticky tablet:top-14 tablet:h-[calc(100dvh-3.5rem)] tablet:w-28 tablet:border-e tablet:border-t-0 desk:w-52"
    >
      <ul className="flex justify-around p-1 tablet:flex-col tablet:gap-1 tablet:p-3">
        {places.map(({ to, word, icon: Icon, isWide }) => (
          <li key={to} className={isWide ? "hidden tablet:block" : ""}>
            <Link
              to={to}
              params={{ project: id }}
              activeOptions={{ exact: word === "home" }}
              activeProps={{ className: "bg-hover text-main font-medium" }}
              inactiveProps={{ className: "text-quiet hover:bg-hover hover:text-ink" }}
              className="flex min-w-14 flex-col items-center wrap-normal rounded-part px-1 py-1 tablet:px-2 text-small no-underline desk:flex-row desk:gap-3 desk:px-3 desk:py-2 desk:text-base"
            >
              <Icon size={20} aria-hidden />
              {words.shell[word]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
