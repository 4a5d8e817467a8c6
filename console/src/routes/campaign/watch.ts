import { useQuery } from "@tanstack/react-query";
import type { Campaign, CampaignWatch } from "petrel-client";
import { useProject } from "../../api/project";

const movingMs = 2_000;
const restingMs = 15_000;
/** A campaign that starts within this time is polled often, so that its start is seen. */
const soonMs = 60_000;
/** For this long after the last mail, opens and reports still arrive. */
const livelyMs = 3 * 86_400_000;

type Watched = Pick<Campaign, "id" | "status" | "scheduledFor">;

export const watchKey = (project: string, id: string) => [project, "campaign progress", id];

/** Polls a campaign: often while it is sent, and not at all once nothing changes. */
export function useWatch({ id, status, scheduledFor }: Watched, isWanted = status !== "DRAFT") {
  const { id: project, petrel } = useProject();
  return useQuery({
    queryKey: watchKey(project, id),
    enabled: isWanted,
    queryFn: ({ signal }) => petrel.campaigns.getProgress(id, { signal }),
    refetchInterval: ({ state }) => state.data !== undefined && pollMs(state.data, scheduledFor),
  });
}

/** Whether the polled state is at least as new as the known campaign. */
export function isNewer(watch: CampaignWatch | undefined, campaign: Pick<Campaign, "version">): watch is CampaignWatch {
  return watch !== undefined && watch.version >= campaign.version;
}

function pollMs({ status, progress, completedAt }: CampaignWatch, scheduledFor: string | null): number | false {
  if (status === "SENDING") return progress?.stage === "HELD" ? restingMs : movingMs;
  if (status === "SENT") return Date.now() - Date.parse(completedAt ?? "") < livelyMs && restingMs;
  const isSoon = Date.parse(scheduledFor ?? "") - Date.now() < soonMs;
  return status === "SCHEDULED" && (isSoon ? movingMs : restingMs);
}
