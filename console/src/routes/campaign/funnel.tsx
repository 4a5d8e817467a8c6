import { Link } from "@tanstack/react-router";
import type { CampaignStats } from "petrel-client";
import type { ReactNode } from "react";
import { useProject } from "../../api/project";
import { Amount } from "../../parts/amount";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { percentOf } from "./percent";

const stages = ["sent", "delivered", "opened", "clicked"] as const;
/** A mail with one of these has no later state, so that the mail log lists just them. */
const troubles = [
  { name: "bounced", status: "BOUNCED" },
  { name: "complained", status: "COMPLAINED" },
  { name: "unsubscribed", status: undefined },
] as const;

/** How many of those who were sent it got it, opened it and clicked, and how many were lost. */
export function Funnel({ id, stats }: { id: string; stats: CampaignStats }) {
  const { words, locale } = useWords();
  const { id: project } = useProject();
  const { sentCount } = stats;
  return (
    <Section title={words.campaigns.results}>
      <ol className="grid gap-3 p-4">
        {stages.map((stage) => {
          const count = stats[`${stage}Count`];
          return (
            <li
              key={stage}
              className="grid grid-cols-[minmax(0,1fr)_auto_3.5rem] items-center gap-x-3 gap-y-1 tablet:grid-cols-[7rem_minmax(0,1fr)_4.5rem_4rem]"
            >
              <span>{words.campaigns[stage]}</span>
              <span
                aria-hidden
                className="order-last col-span-3 h-3 rounded-part bg-quiet-tint tablet:order-none tablet:col-span-1 tablet:h-5"
              >
                <span
                  className="block h-full rounded-part bg-main"
                  style={{ width: `${sentCount === 0 ? 0 : Math.min(100, (100 * count) / sentCount)}%` }}
                />
              </span>
              <span className="text-end font-semibold">
                <Amount of={count} />
              </span>
              <span className="text-end text-quiet">{percentOf(count, sentCount, locale)}</span>
            </li>
          );
        })}
      </ol>
      <dl className="grid grid-cols-3 gap-3 border-t border-line p-4">
        {troubles.map(({ name, status }) => {
          const count = stats[`${name}Count`];
          return (
            <div key={name}>
              <dt className="text-small text-quiet">{words.campaigns[name]}</dt>
              <dd>
                <Rows isListed={status !== undefined && count > 0} to={{ project, id, status }}>
                  <Amount of={count} />
                </Rows>{" "}
                <span className="text-small text-quiet">{percentOf(count, sentCount, locale)}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </Section>
  );
}

interface RowsProps {
  isListed: boolean;
  to: { project: string; id: string; status: "BOUNCED" | "COMPLAINED" | undefined };
  children: ReactNode;
}

function Rows({ isListed, to: { project, id, status }, children }: RowsProps) {
  if (!isListed) return children;
  return (
    <Link to="/p/$project/emails" params={{ project }} search={{ campaignId: id, status }} className="link">
      {children}
    </Link>
  );
}
