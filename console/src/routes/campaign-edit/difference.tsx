import { diffLines, diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import { useWords } from "../../words/words";

interface DifferenceProps {
  from: string;
  to: string;
  /** Whether the texts are compared line by line, and only shown around the differences. */
  isLong: boolean;
  label: string;
}

/** The number of unchanged lines shown before and after a change. */
const around = 2;

/** Shows the difference between two texts: removed words are struck out, and added words are underlined. */
export function Difference({ from, to, isLong, label }: DifferenceProps) {
  const { words } = useWords();
  const parts = useMemo(
    () => (isLong ? diffLines(from, to, { timeout: 1_000 }) : diffWordsWithSpace(from, to)),
    [from, to, isLong],
  );
  // If the texts are too different to compare in time, one is shown above the other.
  const shown = parts ?? [
    { value: from, removed: true, added: false },
    { value: to, removed: false, added: true },
  ];
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-part bg-quiet-tint p-3 font-mono text-small whitespace-pre-wrap"
    >
      {shown.map(({ value, added, removed }, at) => {
        const key = `${at}`;
        if (added) {
          return (
            <ins key={key} className="bg-good-tint text-good">
              <span className="sr-only">{words.campaignEdit.theirs}: </span>
              {value}
            </ins>
          );
        }
        if (removed) {
          return (
            <del key={key} className="bg-alarm-tint text-alarm">
              <span className="sr-only">{words.campaignEdit.mine}: </span>
              {value}
            </del>
          );
        }
        return <span key={key}>{isLong ? shortened(value) : value}</span>;
      })}
    </section>
  );
}

function shortened(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= 2 * around + 2) return text;
  return [...lines.slice(0, around), "⋯", ...lines.slice(-around - 1)].join("\n");
}
