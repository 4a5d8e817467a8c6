import { Link } from "@tanstack/react-router";
import type { Campaign, CampaignStats, Filter } from "petrel-client";
import { useProject } from "../../api/project";
import { Amount } from "../../parts/amount";
import { useWords } from "../../words/words";

type Audience = Pick<Campaign, "audienceType" | "segmentId" | "audienceCondition">;

interface LeftOutProps {
  audience: Audience;
  of: CampaignStats["leftOut"][number];
}

/** How many people were left out for a reason. They have no mail; where conditions can find them, the number leads to them as they are now. */
export function LeftOut({ audience, of: { reason, count } }: LeftOutProps) {
  const { words } = useWords();
  const { id: project } = useProject();
  const filters = filtersOf(audience);
  if (reason !== "unsubscribed" || filters === null) return <Amount of={count} />;
  const isLeft: Filter = { field: "subscribed", operator: "equals", value: false };
  return (
    <Link
      to="/p/$project/people"
      params={{ project }}
      search={{ where: [...filters, isLeft] }}
      title={words.campaigns.asNow}
      className="link"
    >
      <Amount of={count} />
    </Link>
  );
}

/** The filters that all hold for the audience; null for a condition that is not of this form. */
function filtersOf({ audienceType, segmentId, audienceCondition }: Audience): Filter[] | null {
  if (audienceType === "ALL") return [];
  if (segmentId !== null) return [{ field: `segment.${segmentId}`, operator: "memberOfSegment" }];
  const { logic = "OR", groups = [] } = audienceCondition ?? {};
  const isFlat = groups.length === 1 || logic === "AND";
  return isFlat && groups.every(({ conditions }) => !conditions) ? groups.flatMap(({ filters }) => filters) : null;
}
