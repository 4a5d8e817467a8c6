import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMovement } from "../../api/movement";
import { useProject } from "../../api/project";
import { Page, Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { useFirstWords } from "../../words/first";
import { Attention } from "./attention";
import { Figures } from "./figures";
import { FirstSteps } from "./first-steps";
import { days, readsOf } from "./reads";
import { Upcoming } from "./upcoming";

const lookMs = 15_000;
/**
 * Finding what needs attention takes more reads than the figures. It also changes without mail: a domain, a key, a
 * month.
 */
const attentionMs = 60_000;

/** Shows how mail is doing, in a sentence and in figures, and what is scheduled. */
export function HomePage() {
  const { words, number, count } = useFirstWords();
  const { id: project, petrel } = useProject();
  const reads = readsOf(project, petrel);
  const { data, error, refetch } = useQuery(reads.stats);
  const attention = useQuery({ ...reads.attention, refetchInterval: attentionMs });
  useMovement(data !== undefined && lookMs, () => void refetch());
  // A remaining step of the set-up is not a problem.
  const needing = attention.data?.items.filter(({ severity }) => severity !== "info").length;
  const week = data?.series.slice(-days / 2) ?? [];
  const sum = (column: "sent" | "delivered" | "bounced" | "complained") =>
    week.reduce((total, day) => total + day[column], 0);
  const [bounced, complained] = [sum("bounced"), sum("complained")];
  return (
    <Page title={words.home.title}>
      <div className="grid gap-4">
        {error !== null && <Refused error={error} retry={() => void refetch()} />}
        {error === null && data === undefined && <Loading />}
        {data && (
          <p className="text-large text-pretty">
            <Link
              to="/p/$project/emails"
              params={{ project }}
              search={week[0] && { startDate: week[0].date }}
              className="text-ink no-underline hover:underline"
            >
              {sum("sent") === 0
                ? words.home.quiet
                : words.home.verdict(
                    words.home.sent(count(sum("sent"))),
                    words.home.delivered(count(sum("delivered"))),
                  )}
            </Link>{" "}
            {bounced + complained > 0 && words.home.trouble(number(bounced), number(complained))}{" "}
            {needing === 0 && words.home.allWell}
            {needing !== undefined && needing > 0 && <strong>{words.home.needsYou(count(needing))}</strong>}
          </p>
        )}
        {attention.error !== null && <Refused error={attention.error} retry={() => void attention.refetch()} />}
        {attention.data && attention.data.items.length > 0 && <Attention items={attention.data.items} />}
        {data && <Figures series={data.series} />}
        <div className="grid gap-4 desk:grid-cols-2 *:only:col-span-full">
          <Section title={words.home.upcoming}>
            <Upcoming />
          </Section>
          <FirstSteps />
        </div>
      </div>
    </Page>
  );
}
