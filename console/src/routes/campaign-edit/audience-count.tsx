import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { FilterCondition } from "petrel-client";
import { useProject } from "../../api/project";
import { conditionOf } from "../../parts/conditions/condition";
import { ShareBar } from "../../parts/share-bar";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import type { Draft } from "./draft";

type Audience = Pick<Draft, "audienceType" | "segmentId" | "audienceCondition">;

/** A count reads many people, so it is kept for a while. */
const keptMs = 60_000;
const isSubscribed = { field: "subscribed", operator: "equals", value: true } as const;

/** How many people are in the audience now, in a bar of those who are subscribed and those who are not. */
export function AudienceCount({ audience }: { audience: Audience }) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel } = useProject();
  const condition = conditionOfAudience(audience);
  const options = { staleTime: keptMs, refetchOnWindowFocus: false, placeholderData: keepPreviousData } as const;
  const whole = useQuery({
    ...options,
    queryKey: [project, "audience count", condition],
    queryFn: async ({ signal }) => {
      if (condition !== null) return petrel.segments.preview({ condition }, { signal });
      const { total, approximate } = await petrel.contacts.query({ limit: 1 }, { signal });
      return { count: total ?? null, approximate };
    },
  });
  const subscribed = useQuery({
    ...options,
    queryKey: [project, "audience count, subscribed", condition],
    // A condition as large as any may be has no place for one more filter: then there is only the whole.
    retry: false,
    queryFn: ({ signal }) =>
      petrel.segments.preview(
        { condition: { logic: "AND", groups: [{ filters: [isSubscribed], conditions: condition }] } },
        { signal },
      ),
  });
  if (whole.error !== null) return <Refused error={whole.error} retry={() => void whole.refetch()} />;
  if (whole.data === undefined || subscribed.isPending) return <Loading rows={2} />;
  const count = whole.data.count ?? 0;
  const split = subscribed.data && Math.min(count, subscribed.data.count ?? 0);
  const parts =
    split === undefined
      ? [{ name: words.campaignEdit.matched, count, colour: "bg-main" }]
      : [
          { name: words.people.subscribed, count: split, colour: "bg-main" },
          { name: words.people.notSubscribed, count: count - split, colour: "bg-edge" },
        ];
  const isApproximate = (whole.data.approximate ?? subscribed.data?.approximate) === true;
  return (
    <div aria-live="polite" aria-busy={whole.isPlaceholderData || subscribed.isPlaceholderData}>
      <ShareBar parts={parts} whole={own.everybody} isApproximate={isApproximate} />
    </div>
  );
}

function conditionOfAudience({ audienceType, segmentId, audienceCondition }: Audience): FilterCondition {
  if (audienceType === "FILTERED") return audienceCondition;
  return segmentId === null ? null : conditionOf([{ field: `segment.${segmentId}`, operator: "memberOfSegment" }]);
}
