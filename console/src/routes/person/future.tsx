import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Contact } from "petrel-client";
import { useProject } from "../../api/project";
import { Loading, Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { UpcomingLines } from "../../parts/upcoming-lines";
import { useWords } from "../../words/words";
import { campaignsAhead } from "./campaigns-ahead";

const mostEntries = 20;

/**
 * Lists what is scheduled for a person: mail, waiting workflows, campaigns that would reach the person, and the end of
 * a snooze.
 */
export function Future({ contact: { id, snoozedUntil } }: { contact: Contact }) {
  const { words, count } = useWords();
  const { id: project, petrel } = useProject();
  const own = useQuery({
    queryKey: [project, "person", id, "upcoming"],
    queryFn: ({ signal }) => petrel.activity.listUpcoming({ contactId: id, limit: mostEntries }, { signal }),
  });
  const campaigns = useQuery({
    queryKey: [project, "person", id, "campaigns ahead"],
    queryFn: ({ signal }) => campaignsAhead(petrel, id, signal),
  });
  const error = own.error ?? campaigns.error;
  if (error !== null) {
    return <Refused error={error} retry={() => void Promise.all([own.refetch(), campaigns.refetch()])} />;
  }
  if (own.data === undefined || campaigns.data === undefined) return <Loading rows={2} />;
  const { reaching, later } = campaigns.data;
  const isEmpty = own.data.data.length === 0 && reaching.length === 0 && later === 0 && snoozedUntil === null;
  if (isEmpty) return <p className="p-4 text-quiet">{words.person.nothingAhead}</p>;
  return (
    <>
      {snoozedUntil !== null && (
        <p className="border-b border-line px-4 py-2">
          {words.person.snoozedUntil} <Time at={snoozedUntil} />
        </p>
      )}
      <UpcomingLines of={own.data.data} />
      {reaching.map(({ id: campaign, name, scheduledFor }) => (
        <p key={campaign} className="relative flex gap-4 border-t border-line px-4 py-2 hover:bg-hover">
          <span className="min-w-0 flex-1">
            <Link
              to="/p/$project/campaigns/$campaign"
              params={{ project, campaign }}
              className="row-link block truncate font-medium text-ink no-underline"
            >
              <bdi>{name}</bdi>
            </Link>
            <span className="text-small text-quiet">{words.person.kinds.campaign}</span>
          </span>
          <span className="text-small text-quiet">{scheduledFor && <Time at={scheduledFor} isShort />}</span>
        </p>
      ))}
      {later > 0 && (
        <p className="border-t border-line px-4 py-2 text-small">
          <Link to="/p/$project/campaigns" params={{ project }} search={{ status: "SCHEDULED" }} className="link">
            {words.person.laterCampaigns(count(later))}
          </Link>
        </p>
      )}
    </>
  );
}
