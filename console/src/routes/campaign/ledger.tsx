import clsx from "clsx";
import type { Campaign, CampaignStats } from "petrel-client";
import type { ReactNode } from "react";
import { Amount } from "../../parts/amount";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { CountedRows } from "./counted-rows";
import { LeftOut } from "./left-out";
import { ledgerRows } from "./parts";

/** Shows what became of the whole audience, as a sum. Each number links to its rows. */
export function Ledger({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { words } = useWords();
  const leftOut = stats.leftOut.reduce((sum, { count }) => sum + count, 0);
  return (
    <Section title={words.campaigns.ledger}>
      <table className="w-full">
        <tbody>
          {ledgerRows.map(({ name, count, tone }) => (
            <Line
              key={name}
              label={
                <>
                  <span aria-hidden className={clsx("me-2 inline-block size-2.5 rounded-full", tone)} />
                  {words.campaigns.rows[name]}
                </>
              }
              isQuiet={stats[count] === 0}
            >
              <CountedRows id={campaign.id} of={stats[count]} as={name} />
            </Line>
          ))}
          <Line label={words.campaigns.recipients} isSum>
            <CountedRows id={campaign.id} of={stats.totalRecipients} />
          </Line>
          {stats.leftOut.map(({ reason, count }) => (
            <Line key={reason} label={`${words.campaigns.leftOut}: ${words.campaigns.leftOutBy[reason]}`}>
              <LeftOut audience={campaign} of={{ reason, count }} />
            </Line>
          ))}
          {leftOut > 0 && (
            <Line label={words.campaigns.inAudience} isSum>
              <Amount of={stats.totalRecipients + leftOut} />
            </Line>
          )}
        </tbody>
      </table>
    </Section>
  );
}

interface LineProps {
  label: ReactNode;
  /** Whether the line is the sum of the lines above it. */
  isSum?: boolean;
  isQuiet?: boolean;
  children: ReactNode;
}

function Line({ label, isSum = false, isQuiet = false, children }: LineProps) {
  return (
    <tr className={clsx("border-line", isSum && "border-y font-semibold last:border-b-0", isQuiet && "text-quiet")}>
      <th scope="row" className="px-4 py-1.5 text-start font-normal in-[.font-semibold]:font-semibold">
        {label}
      </th>
      <td className="px-4 py-1.5 text-end whitespace-nowrap">{children}</td>
    </tr>
  );
}
