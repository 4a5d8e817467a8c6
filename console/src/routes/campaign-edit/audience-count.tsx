import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useProject } from "../../api/project";
import { ShareBar } from "../../parts/share-bar";
import { Loading, Refused } from "../../parts/states";
import { useRested } from "../../parts/use-rested";
import { useWords } from "../../words/words";
import { type Audience, countAudience } from "./count-audience";

/**
 * A count reads many people, so it is cached for a while, and begins only when the conditions have stopped changing.
 */
const keptMs = 60_000;
const restMs = 600;

/** Shows how many people are in the audience now, in a bar of subscribed and other people. */
export function AudienceCount({ audience: { audienceType, segmentId, audienceCondition } }: { audience: Audience }) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel } = useProject();
  const shown = JSON.stringify({ audienceType, segmentId, audienceCondition });
  const rested = useRested(shown, restMs);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [project, "audience count", rested],
    queryFn: ({ signal }) => countAudience(petrel, JSON.parse(rested), signal),
    staleTime: keptMs,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={2} />;
  const { count, subscribed, isApproximate } = data;
  if (count === null) return <p className="text-small text-quiet">{own.uncounted}</p>;
  const parts =
    subscribed === null
      ? [{ name: own.matched, count, colour: "bg-main" }]
      : [
          { name: words.people.subscribed, count: subscribed, colour: "bg-main" },
          { name: words.people.notSubscribed, count: count - subscribed, colour: "bg-edge" },
        ];
  return (
    <div aria-live="polite" aria-busy={isPlaceholderData || shown !== rested}>
      <ShareBar parts={parts} whole={own.everybody} isApproximate={isApproximate} />
    </div>
  );
}
