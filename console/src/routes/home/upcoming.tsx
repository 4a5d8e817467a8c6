import { useQuery } from "@tanstack/react-query";
import { Link, type NavigateOptions } from "@tanstack/react-router";
import type { UpcomingActivity } from "petrel-client";
import { useProject } from "../../api/project";
import { Loading, Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { readsOf } from "./reads";
import { Week } from "./week";

const named = 8;

/** Shows how much is scheduled for the next seven days, and names the first few. */
export function Upcoming() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data, error, refetch } = useQuery(readsOf(project, petrel).upcoming);
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={3} />;
  if (data.data.length === 0) return <p className="p-4 text-quiet">{words.home.nothingComes}</p>;
  return (
    <>
      <Week of={data.data} hasMore={data.hasMore} />
      <ul>
        {data.data.slice(0, named).map((one) => (
          <li
            key={`${one.type} ${one.id}`}
            className="relative flex gap-4 border-b border-line px-4 py-2 last:border-b-0 hover:bg-hover"
          >
            <span className="min-w-0 flex-1">
              <Link {...placeOf(one, project)} className="row-link block truncate font-medium text-ink no-underline">
                <bdi>{nameOf(one)}</bdi>
              </Link>
              <span className="text-small text-quiet">
                {words.home.upcomingTypes[one.type]} <bdi>{one.contactEmail}</bdi>
              </span>
            </span>
            <span className="text-small text-quiet">
              <Time at={one.timestamp} isShort />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function nameOf({ metadata: { name, workflowName, subject } }: UpcomingActivity): string {
  return [name, workflowName, subject].find((one) => typeof one === "string") ?? "·";
}

/** A workflow has no page yet: the person who waits in it has one. */
function placeOf({ type, id, contactId }: UpcomingActivity, project: string): NavigateOptions {
  if (type === "campaign.scheduled") {
    return { to: "/p/$project/campaigns/$campaign", params: { project, campaign: id } };
  }
  if (type === "email.scheduled") return { to: "/p/$project/emails/$email", params: { project, email: id } };
  return { to: "/p/$project/people/$person", params: { project, person: contactId ?? "" } };
}
