import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { CampaignStats } from "petrel-client";
import type { ReactNode } from "react";
import { useProject } from "../../api/project";
import { Amount } from "../../parts/amount";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";
import { ledgerRows } from "./parts";

/** Where everybody of the audience is, as a sum that adds up. A number leads to its rows. */
export function Ledger({ id, stats }: { id: string; stats: CampaignStats }) {
  const { words } = useWords();
  const { id: project } = useProject();
  const leftOut = stats.leftOut.reduce((sum, { count }) => sum + count, 0);
  const rowsOf = (status?: "QUEUED" | "UNKNOWN" | "FAILED" | "SUPPRESSED" | "CANCELLED") => ({
    campaignId: id,
    ...(status && { status }),
  });
  return (
    <Section title={words.campaigns.ledger}>
      <table className="w-full">
        <tbody>
          {ledgerRows.map(({ name, count, tone, status }) => (
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
              {status === undefined || stats[count] === 0 ? (
                <Amount of={stats[count]} />
              ) : (
                <Link to="/p/$project/emails" params={{ project }} search={rowsOf(status)} className="link">
                  <Amount of={stats[count]} />
                </Link>
              )}
            </Line>
          ))}
          <Line label={words.campaigns.recipients} isSum>
            <Link to="/p/$project/emails" params={{ project }} search={rowsOf()} className="link">
              <Amount of={stats.totalRecipients} />
            </Link>
          </Line>
          {stats.leftOut.map(({ reason, count }) => (
            <Line key={reason} label={`${words.campaigns.leftOut}: ${words.campaigns.leftOutBy[reason]}`}>
              <Amount of={count} />
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
  /** It is what the lines above it add up to. */
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
