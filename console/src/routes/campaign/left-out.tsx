import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Campaign, CampaignStats, Filter } from "petrel-client";
import { useProject } from "../../api/project";
import { Amount } from "../../parts/amount";
import { useWords } from "../../words/words";

type Audience = Pick<Campaign, "audienceType" | "segmentId" | "audienceCondition" | "topicId">;
type LeftOutPart = CampaignStats["leftOut"][number];

interface LeftOutProps {
  audience: Audience;
  of: LeftOutPart;
}

/**
 * Shows how many people were left out for a reason. They have no mail, so the number links to the people that
 * conditions find now. The number of suppressed addresses links to the call that lists them.
 */
export function LeftOut({ audience, of: { reason, count } }: LeftOutProps) {
  const { words } = useWords();
  const { id: project } = useProject();
  const filters = filtersOf(audience);
  const reasons = useReason(reason, audience.topicId);
  if (reason === "suppressed") {
    return (
      <Link
        to="/p/$project/more"
        hash="suppressions"
        params={{ project }}
        title={words.more.parts.suppressions}
        className="link"
      >
        <Amount of={count} />
      </Link>
    );
  }
  if (reasons === null || filters === null) return <Amount of={count} />;
  return (
    <Link
      to="/p/$project/people"
      params={{ project }}
      search={{ where: [...filters, ...reasons] }}
      title={words.campaigns.asNow}
      className="link"
    >
      <Amount of={count} />
    </Link>
  );
}

/** Returns the filters that match people with a reason; null while they are unknown. */
function useReason(reason: LeftOutPart["reason"], topicId: string | null): Filter[] | null {
  const { id: project, petrel } = useProject();
  const { data: slug } = useQuery({
    queryKey: [project, "topic", topicId],
    enabled: reason === "topic" && topicId !== null,
    queryFn: ({ signal }) => petrel.topics.get(topicId ?? "", { signal }),
    select: (topic) => topic.slug,
  });
  // No filter distinguishes paused people from others who are not subscribed.
  if (reason === "snoozed") return null;
  if (reason !== "topic") return [{ field: "subscribed", operator: "equals", value: false }];
  if (slug === undefined) return null;
  return [
    { field: "subscribed", operator: "equals", value: true },
    { field: `topic.${slug}`, operator: "equals", value: false },
  ];
}

/** Returns the filters that must all hold for the audience; null for a condition of another form. */
function filtersOf({ audienceType, segmentId, audienceCondition }: Audience): Filter[] | null {
  if (audienceType === "ALL") return [];
  if (segmentId !== null) return [{ field: `segment.${segmentId}`, operator: "memberOfSegment" }];
  const { logic = "OR", groups = [] } = audienceCondition ?? {};
  const isFlat = groups.length === 1 || logic === "AND";
  return isFlat && groups.every(({ conditions }) => !conditions) ? groups.flatMap(({ filters }) => filters) : null;
}
