import type { CampaignStats } from "petrel-client";
import { useWords } from "../../words/words";

/** Each recipient is in exactly one of these, so that they add up. */
export const ledgerRows = [
  { name: "sent", count: "sentCount", tone: "bg-good" },
  { name: "queued", count: "queuedCount", tone: "bg-edge" },
  { name: "unknown", count: "unknownCount", tone: "bg-warn" },
  { name: "failed", count: "failedCount", tone: "bg-alarm" },
  { name: "suppressed", count: "suppressedCount", tone: "bg-main" },
  { name: "cancelled", count: "cancelledCount", tone: "bg-quiet" },
] as const;

/** Shows the recipients as a bar, which is full when all of them are accounted for. */
export function Parts({ stats }: { stats: CampaignStats }) {
  const { words, number } = useWords();
  const shown = ledgerRows.filter(({ count }) => stats[count] > 0);
  const label = shown.map(({ name, count }) => `${words.campaigns.rows[name]}: ${number(stats[count])}`).join(", ");
  return (
    <div role="img" aria-label={label} className="mt-4 flex h-3 gap-px overflow-hidden rounded-full bg-quiet-tint">
      {shown.map(({ name, count, tone }) => (
        <div
          key={name}
          className={`${tone} min-w-1 transition-[flex-grow]`}
          style={{ flexGrow: stats[count], flexBasis: 0 }}
        />
      ))}
    </div>
  );
}
