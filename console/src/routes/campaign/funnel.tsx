import type { CampaignStats } from "petrel-client";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { CountedRows } from "./counted-rows";
import { percentOf } from "./percent";

const stages = ["sent", "delivered", "opened", "clicked"] as const;
const troubles = ["bounced", "complained", "unsubscribed"] as const;

/**
 * Shows how many recipients got the mail, opened it and clicked, and how many were lost. Each number links to its mail.
 */
export function Funnel({ id, stats }: { id: string; stats: CampaignStats }) {
  const { words, locale } = useWords();
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
                <CountedRows id={id} of={count} as={stage} />
              </span>
              <span className="text-end text-quiet">{percentOf(count, sentCount, locale)}</span>
            </li>
          );
        })}
      </ol>
      <dl className="grid grid-cols-3 gap-3 border-t border-line p-4">
        {troubles.map((name) => {
          const count = stats[`${name}Count`];
          return (
            <div key={name}>
              <dt className="text-small text-quiet">{words.campaigns[name]}</dt>
              <dd>
                <CountedRows id={id} of={count} as={name} />{" "}
                <span className="text-small text-quiet">{percentOf(count, sentCount, locale)}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </Section>
  );
}
