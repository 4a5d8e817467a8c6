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

/** Where a campaign is written, checked and sent. */
export function CampaignEditPage() {
  const { id: project, petrel } = useProject();
  const { campaign: id } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "campaign", id],
    queryFn: ({ signal }) => petrel.campaigns.get(id, { signal }),
  });
  // Others may change it, or send it: its version is asked for, and all of it is read when that is another one.
  const { data: watched, dataUpdatedAt: watchedAt } = useQuery({
    queryKey: watchKey(project, id),
    enabled: data !== undefined,
    refetchInterval: lookMs,
    queryFn: ({ signal }) => petrel.campaigns.getProgress(id, { signal }),
  });
  const isOld = data !== undefined && watched !== undefined && isAnother(watched, data);
  useEffect(() => {
    // With each answer, because a read may fail.
    if (isOld && watchedAt > 0) void refetch();
  }, [isOld, watchedAt, refetch]);
  if (error !== null && data === undefined) return <Refused error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={10} />;
  const isOpen = data.status === "DRAFT" || data.status === "SCHEDULED";
  if (isOpen) return <Writing key={id} campaign={data} />;
  // It has started: what becomes of it has a page of its own.
  return <Navigate to="/p/$project/campaigns/$campaign" params={{ project, campaign: id }} replace />;
}

function isAnother(watched: CampaignWatch, { version, status }: Campaign): boolean {
  return watched.version > version || (watched.version === version && watched.status !== status);
}
