import { ShareBar } from "../../../parts/share-bar";
import { useWords } from "../../../words/words";
import type { PreflightFindings } from "./use-check";

/** Shows the whole audience as one bar, divided by what will happen to each person. */
export function AudienceBar({ findings: { willSend, skipped, renderErrors } }: { findings: PreflightFindings }) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const broken = renderErrors.reduce((sum, { count }) => sum + count, 0);
  const parts = [
    { name: own.willSend, count: willSend, colour: "bg-main" },
    ...skipped.map(({ reason, count }) => ({ name: own.skipped[reason], count, colour: "bg-edge" })),
    { name: own.broken, count: broken, colour: "bg-alarm" },
  ];
  return <ShareBar parts={parts} whole={own.everybody} />;
}
