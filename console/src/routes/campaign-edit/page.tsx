import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import type { Campaign, CampaignWatch } from "petrel-client";
import { useEffect } from "react";
import { useProject } from "../../api/project";
import { Loading, Refused } from "../../parts/states";
import { watchKey } from "../campaign/watch";
import { Writing } from "./writing";

const route = getRouteApi("/p/$project/campaigns/$campaign/edit");
const lookMs = 15_000;

/** Shows the page on which a campaign is written, checked and sent. */
export function CampaignEditPage() {
  const { id: project, petrel } = useProject();
  const { campaign: id } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "campaign", id],
    queryFn: ({ signal }) => petrel.campaigns.get(id, { signal }),
  });
  // Others may change or send the campaign. So its version is polled, and the whole campaign is read when the version
  // changes.
  const { data: watched, dataUpdatedAt: watchedAt } = useQuery({
    queryKey: watchKey(project, id),
    enabled: data !== undefined,
    refetchInterval: lookMs,
    queryFn: ({ signal }) => petrel.campaigns.getProgress(id, { signal }),
  });
  const isOld = data !== undefined && watched !== undefined && isAnother(watched, data);
  useEffect(() => {
    // Repeated with each answer, because a read may fail.
    if (isOld && watchedAt > 0) void refetch();
  }, [isOld, watchedAt, refetch]);
  if (error !== null && data === undefined) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={10} />;
  const isOpen = data.status === "DRAFT" || data.status === "SCHEDULED";
  if (isOpen) return <Writing key={id} campaign={data} />;
  // The campaign has started, and its results have a page of their own.
  return <Navigate to="/p/$project/campaigns/$campaign" params={{ project, campaign: id }} replace />;
}

function isAnother(watched: CampaignWatch, { version, status }: Campaign): boolean {
  return watched.version > version || (watched.version === version && watched.status !== status);
}
