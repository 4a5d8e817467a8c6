import { Link } from "@tanstack/react-router";
import type { ActivityStats } from "petrel-client";
import type { ReactNode } from "react";
import { useProject } from "../../api/project";
import { Amount } from "../../parts/amount";
import { Spark } from "../../parts/spark";
import { useFirstWords } from "../../words/first";
import type { EmailFilters } from "../emails/filters";

const columns = ["sent", "delivered", "opened", "clicked", "bounced", "complained", "events"] as const;

/** Shows seven figures of a week, each with its days, in front of those of the previous week. */
export function Figures({ series }: { series: ActivityStats["series"] }) {
  const { words, number } = useFirstWords();
  const half = Math.floor(series.length / 2);
  return (
    <section aria-label={words.home.days}>
      <ul className="grid grid-cols-2 gap-3 tablet:grid-cols-4 wide:grid-cols-7">
        {columns.map((column) => {
          const values = series.map((day) => day[column]);
          const [before, now] = [values.slice(0, half), values.slice(half)];
          const [sumBefore, sumNow] = [before, now].map((week) => week.reduce((sum, value) => sum + value, 0));
          return (
            // The first figure is wide where seven would leave a gap in the last row.
            <li key={column} className="sheet min-w-0 p-3 first:col-span-2 wide:first:col-span-1">
              <p className="text-small text-quiet">{words.home.columns[column]}</p>
              <p className="text-title font-semibold">
                <Rows of={column} since={series[half]?.date}>
                  <Amount of={sumNow ?? 0} />
                </Rows>
              </p>
              <Spark values={now} before={before} label={`${words.home.columns[column]}: ${now.join(", ")}`} />
              <p className="mt-1 text-small text-quiet">{words.home.before(number(sumBefore ?? 0))}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A figure links to the mail log when no later state hides its mail. */
const listed: Partial<Record<string, EmailFilters>> = {
  sent: {},
  bounced: { status: "BOUNCED" },
  complained: { status: "COMPLAINED" },
};

function Rows({ of: column, since, children }: { of: string; since: string | undefined; children: ReactNode }) {
  const { id: project } = useProject();
  const filters = listed[column];
  if (filters === undefined) return children;
  const search = { ...filters, ...(since && { startDate: since }) };
  return (
    <Link
      to="/p/$project/emails"
      params={{ project }}
      search={search}
      className="text-ink no-underline hover:underline"
    >
      {children}
    </Link>
  );
}
