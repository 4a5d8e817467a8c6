import { useQuery } from "@tanstack/react-query";
import { useProject } from "../../api/project";
import { Loading, Refused } from "../../parts/states";
import { UpcomingLines } from "../../parts/upcoming-lines";
import { useFirstWords } from "../../words/first";
import { readsOf } from "./reads";
import { Week } from "./week";

const named = 8;

/** Shows how much is scheduled for the next seven days, and lists the first few entries. */
export function Upcoming() {
  const { words } = useFirstWords();
  const { id: project, petrel } = useProject();
  const { data, error, refetch } = useQuery(readsOf(project, petrel).upcoming);
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={3} />;
  if (data.data.length === 0) return <p className="p-4 text-quiet">{words.home.nothingComes}</p>;
  return (
    <>
      <Week of={data.data} hasMore={data.hasMore} />
      <UpcomingLines of={data.data.slice(0, named)} />
    </>
  );
}
