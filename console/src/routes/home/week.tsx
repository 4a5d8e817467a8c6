import type { UpcomingActivity } from "petrel-client";
import { useFirstWords } from "../../words/first";

const days = 7;

interface WeekProps {
  of: UpcomingActivity[];
  /** Whether there are more entries after the last one. */
  hasMore: boolean;
}

/** Shows how much is scheduled for each of the next seven days, including today. */
export function Week({ of: coming, hasMore }: WeekProps) {
  const { words, number, locale } = useFirstWords();
  const today = new Date();
  const last = hasMore ? coming.at(-1)?.timestamp : undefined;
  const shown = Array.from({ length: days }, (_, ahead) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() + ahead);
    const count = coming.filter(({ timestamp }) => new Date(timestamp).toDateString() === day.toDateString()).length;
    // Entries after the last one read are not counted.
    const isCut = last !== undefined && new Date(last) < new Date(day.getTime() + 86_400_000);
    return { day, count, isCut };
  });
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <ol aria-label={words.home.week} className="grid grid-cols-7 gap-1 border-b border-line p-4">
      {shown.map(({ day, count, isCut }) => (
        <li key={day.getTime()} className="flex min-w-0 flex-col items-center gap-1 text-small">
          <span aria-hidden className="flex h-10 w-full items-end rounded-part bg-quiet-tint">
            <span className="w-full rounded-part bg-main" style={{ height: `${(100 * count) / most}%` }} />
          </span>
          <span className={count === 0 ? "text-quiet" : "font-semibold"}>
            {number(count)}
            {isCut && "+"}
          </span>
          <span className="text-quiet">{day.toLocaleDateString(locale, { weekday: "short" })}</span>
        </li>
      ))}
    </ol>
  );
}
