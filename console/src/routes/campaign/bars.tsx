import { useWords } from "../../words/words";
import { type Measure, measures, type Span } from "./spans";

interface BarsProps {
  spans: Span[];
  measure: Measure;
  isByDay: boolean;
}

const height = 100;
/** The width of a bar and its gap. */
const step = 10;

/** Shows bars over time, and the same data as a table for screen readers. */
export function Bars({ spans, measure, isByDay }: BarsProps) {
  const { words, number, locale } = useWords();
  const most = Math.max(1, ...spans.map((span) => span[measure]));
  const timeOf = (at: number) => {
    const shown: Intl.DateTimeFormatOptions = isByDay
      ? { dateStyle: "medium", timeZone: "UTC" }
      : { dateStyle: "medium", timeStyle: "short" };
    return new Date(at).toLocaleString(locale, shown);
  };
  const [first, last] = [spans[0]?.at ?? 0, spans.at(-1)?.at ?? 0];
  return (
    <figure className="min-w-0">
      <div className="relative border-b border-line">
        <span className="absolute top-0 text-small text-quiet">{number(most)}</span>
        <svg
          role="img"
          aria-label={`${words.campaigns[measure]}, ${timeOf(first)} – ${timeOf(last)}`}
          viewBox={`0 0 ${Math.max(24, spans.length) * step} ${height}`}
          preserveAspectRatio="none"
          className="h-40 w-full pt-6"
        >
          {spans.map((span, place) => {
            const tall = (height * span[measure]) / most;
            return (
              <rect
                key={span.at}
                x={place * step + 1}
                width={step - 2}
                y={height - tall}
                height={tall}
                className="fill-main hover:fill-main-hover"
              >
                <title>{`${timeOf(span.at)}: ${number(span[measure])}`}</title>
              </rect>
            );
          })}
        </svg>
      </div>
      <figcaption className="flex justify-between gap-4 pt-1 text-small text-quiet">
        <span>{timeOf(first)}</span>
        {spans.length > 1 && <span className="text-end">{timeOf(last)}</span>}
      </figcaption>
      <details className="mt-3 text-small">
        <summary className="text-quiet">{words.campaigns.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard */}
        <section className="max-h-72 overflow-auto" tabIndex={0} aria-label={words.campaigns.asTable}>
          <table className="w-full">
            <thead>
              <tr className="text-quiet">
                <th className="py-1 pe-3 text-start font-medium">{words.campaigns.time}</th>
                {measures.map((one) => (
                  <th key={one} className="py-1 ps-3 text-end font-medium">
                    {words.campaigns[one]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {spans.map((span) => (
                <tr key={span.at} className="border-t border-line">
                  <th scope="row" className="py-1 pe-3 text-start font-normal whitespace-nowrap">
                    {timeOf(span.at)}
                  </th>
                  {measures.map((one) => (
                    <td key={one} className="py-1 ps-3 text-end">
                      {number(span[one])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}
