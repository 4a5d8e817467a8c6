import { useQuery } from "@tanstack/react-query";
import type { Campaign } from "petrel-client";
import { useProject } from "../../api/project";

const lookMs = 15_000;

/** Reads the links of a campaign with their clicks, again and again while it is sent. */
export function useLinks({ id, status }: Pick<Campaign, "id" | "status">, isWanted = true) {
  const { id: project, petrel } = useProject();
  return useQuery({
    queryKey: [project, "campaign links", id],
    enabled: isWanted,
    queryFn: ({ signal }) => petrel.campaigns.listLinks(id, { signal }),
    refetchInterval: status === "SENDING" && lookMs,
  });
}
