import type { ListCampaignsData } from "petrel-client";

type Query = NonNullable<ListCampaignsData["query"]>;
export type CampaignFilters = Pick<Query, "status" | "search">;

const names = ["status", "search"] as const;

/** Reads the filters from the page's address. The service checks them. */
export function readCampaignFilters(search: Record<string, unknown>): CampaignFilters {
  const given = names.filter((name) => typeof search[name] === "string" && search[name] !== "");
  return Object.fromEntries(given.map((name) => [name, search[name]]));
}
