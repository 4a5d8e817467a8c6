import { useQuery } from "@tanstack/react-query";
import type { Campaign } from "petrel-client";
import { useProject } from "../../api/project";
import { useWords } from "../../words/words";

/** A segment is rarely renamed, and many campaigns use the same one. */
const keptMs = 300_000;

/** Shows the audience of a campaign. A deleted segment is shown by its kind only. */
export function Audience({ of: { audienceType, segmentId } }: { of: Pick<Campaign, "audienceType" | "segmentId"> }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data } = useQuery({
    queryKey: [project, "segment", segmentId],
    enabled: segmentId !== null,
    staleTime: keptMs,
    queryFn: ({ signal }) => petrel.segments.get(segmentId ?? "", { signal }),
  });
  return <bdi>{data?.name ?? words.campaigns.audience[audienceType]}</bdi>;
}
