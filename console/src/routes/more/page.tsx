import { Page } from "../../parts/page";
import { useWords } from "../../words/words";

/** The parts without a page, with the call that lists each. */
const calls = {
  segments: "GET /segments",
  workflows: "GET /workflows",
  templates: "GET /templates",
  suppressions: "GET /suppressions",
  webhooks: "GET /webhooks",
  imports: "POST /contacts/import",
} as const;

export function MorePage() {
  const { words } = useWords();
  return (
    <Page title={words.more.title}>
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
