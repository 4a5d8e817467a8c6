import { Link } from "@tanstack/react-router";
import { useProject } from "../../api/project";
import { Page } from "../../parts/page";
import { places } from "../../shell/places";
import { useWords } from "../../words/words";

/** What has no page yet, with the call that lists it. */
const calls = {
  segments: "GET /segments",
  workflows: "GET /workflows",
  templates: "GET /templates",
  topics: "GET /topics",
  suppressions: "GET /suppressions",
  webhooks: "GET /webhooks",
  imports: "POST /contacts/import",
  keys: "POST /admin/projects/{id}/keys",
  project: "PATCH /admin/projects/{id}",
} as const;

export function MorePage() {
  const { words } = useWords();
  const { id: project } = useProject();
  return (
    <Page title={words.more.title}>
      <ul className="mb-4 grid gap-2 tablet:hidden">
        {places
          .filter(({ isWide }) => isWide)
          .map(({ to, word, icon: Icon }) => (
            <li key={to}>
              <Link to={to} params={{ project }} className="sheet flex items-center gap-3 p-4 text-ink no-underline">
                <Icon size={20} aria-hidden />
                {words.shell[word]}
              </Link>
            </li>
          ))}
      </ul>
      <p className="mb-4 text-quiet">
        {words.more.lead}{" "}
        <a href="/docs/reference" className="link">
          {words.more.reference}
        </a>
        .
      </p>
      <dl className="sheet grid tablet:grid-cols-[14rem_minmax(0,1fr)]">
        {Object.entries(calls).map(([name, call]) => (
          <div key={name} className="contents">
            <dt className="px-4 pt-3 font-medium tablet:border-b tablet:border-line tablet:pb-3">
              {words.more[name as keyof typeof calls]}
            </dt>
            <dd className="border-b border-line px-4 pb-3 font-mono text-small tablet:pt-3">{call}</dd>
          </div>
        ))}
      </dl>
    </Page>
  );
}
