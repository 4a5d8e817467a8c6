import { useQuery } from "@tanstack/react-query";
import type { UpcomingActivity } from "petrel-client";
import { useProject } from "../../api/project";
import { Loading, Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";

const most = 8;

export function Upcoming() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "upcoming"],
    queryFn: ({ signal }) => petrel.activity.listUpcoming({ limit: most }, { signal }),
  });
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={3} />;
  if (data.data.length === 0) return <p className="p-4 text-quiet">{words.home.nothingComes}</p>;
  return (
    <ul>
      {data.data.map((one) => (
        <li key={`${one.type} ${one.id}`} className="flex gap-4 border-b border-line px-4 py-2 last:border-b-0">
          <span className="min-w-0 flex-1">
            <bdi className="block truncate font-medium">{nameOf(one)}</bdi>
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
  );
}

function nameOf({ metadata: { name, workflowName, subject } }: UpcomingActivity): string {
  return [name, workflowName, subject].find((one) => typeof one === "string") ?? "·";
}
